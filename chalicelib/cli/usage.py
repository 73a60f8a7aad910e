"""`lorebase usage`: what models used in a month, what it cost, and how budgets stand."""

import click

from chalicelib.cli.client import Json
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import money_of
from chalicelib.usage.model import Grouping


@click.command("usage")
@click.option("--by", type=choice_of(Grouping), default="purpose", show_default=True, help="What it is shown by.")
@click.option("--month", metavar="YYYY-MM", help="Which month, in UTC; by default the present one.")
@click.option("--here", is_flag=True, help="Of the workspace alone, for its owners.")
@connected
def command(session: Session, *, by: str, month: str | None, here: bool) -> None:
    """Show what embedding and language models used in a month, by the organization; for its admins."""
    place = session.workspace_url if here else session.organization_url
    if here:
        session.say_workspace()
    asked = {"by": by} if month is None else {"by": by, "month": month}
    shown = session.client.get(f"{place}/usage", **asked)
    printer = session.printer
    printer.json(shown)
    currency = shown["currency"]
    printer.table(
        [by.upper(), "CALLS", "TOKENS READ", "WRITTEN", f"COST ({currency})"],
        [_row(_name(entry, by), entry, has_house=entry["in_house"]) for entry in shown["entries"]]
        + [_row("total", shown["total"], has_house=False)],
    )
    for budget in shown["budgets"]:
        printer.line(told_budget(session, budget))
    forecast = shown["forecast"]
    if forecast is not None:
        cost = "" if forecast["cost"] is None else f", {money_of(forecast['cost'])} {currency}"
        printer.remark(f"If it goes on like this: {forecast['tokens']:,} tokens{cost} by the end of {shown['month']}.")
    if shown["total"]["unpriced_tokens"]:
        printer.remark(
            f"{shown['total']['unpriced_tokens']:,} tokens have no price; LOREBASE_MODEL_PRICES says what models cost."
        )


def told_budget(session: Session, budget: Json) -> str:
    """Say in a line how a budget stands."""
    workspace_id = budget["workspace_id"]
    whose = "organization" if workspace_id is None else f"workspace {session.name_of_workspace(workspace_id)}"
    parts = []
    if budget["tokens"] is not None:
        parts.append(f"{budget['tokens_used']:,} of {budget['tokens']:,} tokens")
    if budget["money"] is not None:
        parts.append(f"{money_of(budget['money_used'])} of {money_of(budget['money'])} {budget['currency']}")
    told = f"budget  {whose}: {' and '.join(parts)} in {budget['month']} ({budget['share']:.0%}, {budget['state']})"
    return told + (f"; work waits until {budget['resets_at'][:10]}" if budget["state"] == "spent" else "")


def _row(name: str, used: Json, *, has_house: bool) -> list[str]:
    cost = "unknown" if used["cost"] is None else "in house" if has_house else money_of(used["cost"])
    return [name, f"{used['calls']:,}", f"{used['input_tokens']:,}", f"{used['output_tokens']:,}", cost]


def _name(entry: Json, by: str) -> str:
    if entry["name"] is None:
        return "(organization)"
    return str(entry["slug"] or entry["name"]) if by == Grouping.WORKSPACE else str(entry["name"])
