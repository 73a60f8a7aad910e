"""`lorebase budget`: what the organization or a workspace may spend on models in a month."""

import click

from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.usage import told_budget

_here = click.option("--here", is_flag=True, help="Of the workspace instead of the whole organization.")


@click.group("budget")
def command() -> None:
    """Say what embedding and language models may use in a month."""


@command.command("show")
@_here
@connected
def show_budget(session: Session, *, here: bool) -> None:
    """Show a budget, and how this month stands."""
    shown = session.client.get(_url(session, here=here))
    session.printer.json(shown)
    session.printer.line(told_budget(session, shown))


@command.command("set")
@click.option("--tokens", type=click.IntRange(min=0), metavar="N", help="Tokens, read and written.")
@click.option("--money", metavar="AMOUNT", help="Money, in the currency of the prices.")
@_here
@connected
def set_budget(session: Session, *, tokens: int | None, money: str | None, here: bool) -> None:
    """Set a budget in tokens, money or both, instead of any there is; 0 stops all work but questions."""
    if tokens is None and money is None:
        raise click.UsageError("Say --tokens, --money, or both.")
    said = {"tokens": tokens, "money": money}
    shown = session.client.put(
        _url(session, here=here), {name: value for name, value in said.items() if value is not None}
    )
    session.printer.json(shown)
    session.printer.line(told_budget(session, shown))


@command.command("clear")
@_here
@connected
def clear_budget(session: Session, *, here: bool) -> None:
    """Clear a budget; what waited for it goes on."""
    session.client.delete(_url(session, here=here))
    session.printer.json({"cleared": True})
    session.printer.line("cleared")


def _url(session: Session, *, here: bool) -> str:
    if here:
        session.say_workspace()
    return f"{session.workspace_url if here else session.organization_url}/budget"
