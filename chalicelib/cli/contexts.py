"""`lorebase contexts`: whether a language model says of each document what it is about, for search alone."""

import click

from chalicelib.cli.asking import ask
from chalicelib.cli.client import Json
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import money_of


@click.group("contexts")
def command() -> None:
    """Have documents described by a language model, so that their passages are found by what they are about."""


@command.command("status")
@connected
def show_status(session: Session) -> None:
    """Show whether it is on, how far it is, and what the rest would take; for owners."""
    _show(session, session.client.get(_url(session)))


@command.command("on")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def switch_on(session: Session, *, yes: bool) -> None:
    """Switch it on, after showing what it takes. On again, it asks again about what failed."""
    session.say_workspace()
    before = session.client.get(_url(session))
    if not yes and not session.printer.wants_json:
        _show(session, before)
    # Without a model the server refuses, and nobody need agree to that.
    if not yes and before["model"] is not None:
        ask("Have these documents read by the language model?")
    _show(session, session.client.put(_url(session), {"on": True}), tells_rest=yes)


@command.command("off")
@connected
def switch_off(session: Session) -> None:
    """Switch it off; what was said of documents is forgotten and leaves the index."""
    session.say_workspace()
    _show(session, session.client.put(_url(session), {"on": False}), tells_rest=False)


def _url(session: Session) -> str:
    return f"{session.workspace_url}/contexts"


def _show(session: Session, contexts: Json, *, tells_rest: bool = True) -> None:
    """Show how far it is and, unless nobody asks or it was just told, what the rest would take."""
    printer = session.printer
    printer.json(contexts)
    printer.line(f"contexts   {'on' if contexts['on'] else 'off'}")
    printer.line(f"model      {contexts['model'] or 'none'}")
    printer.line(f"described  {contexts['described']} of {contexts['described'] + contexts['undescribed']} documents")
    if contexts["failed"]:
        printer.line(f"failed     {contexts['failed']}")
    if not tells_rest:
        return
    estimate = contexts["estimate"]
    if contexts["undescribed"]:
        printer.line(
            f"the rest   about {estimate['input_tokens']:,} tokens read and {estimate['output_tokens']:,} written by"
            f" the language model, {estimate['embedded_tokens']:,} embedded again{_money(estimate)}"
        )
    if estimate["exceeds_budget"]:
        printer.remark("This month's budget would not suffice; what is left then waits for the next month.")


def _money(estimate: Json) -> str:
    return "" if estimate["money"] is None else f": {money_of(estimate['money'])} {estimate['currency']}"
