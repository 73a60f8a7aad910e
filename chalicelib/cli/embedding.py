"""`lorebase embedding`: the embedding space that an organization searches in, and the change to another."""

from typing import TextIO

import click

from chalicelib.cli.asking import ask
from chalicelib.cli.client import Json
from chalicelib.cli.embedding_comparison import show_comparison
from chalicelib.cli.errors import INCOMPLETE
from chalicelib.cli.item_references import find_item
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import money_of
from chalicelib.cli.waiting import Patience

_PAUSE_SECONDS = 1.0


@click.group("embedding")
def command() -> None:
    """Change the model that search by meaning goes by, while it goes on."""


@command.command("show")
@connected
def show(session: Session) -> None:
    """Show the organization's embedding spaces, those on offer, and how far a change is."""
    _show(session, session.client.get(_url(session)))


@command.command("change")
@click.argument("space")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--no-wait", is_flag=True, help="Return once it is promised.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="How long to wait at most.")
@connected
def change(session: Session, *, space: str, yes: bool, no_wait: bool, timeout: float | None) -> int | None:
    """Fill another space beside the active one, after showing what it takes.

    Searches stay in the active space until `lorebase embedding swap`. A change that is blocked goes on.
    """
    if not yes:
        estimate = session.client.get(f"{_url(session)}/estimate", space=space)
        session.printer.remark(_described(estimate))
        ask(f"Fill {space} beside the active space?")
    embedding = session.client.post(f"{_url(session)}/changes", {"space": space})
    if not no_wait:
        embedding = _await_filling(session, embedding, patience=Patience(timeout))
    _show(session, embedding)
    state = (embedding["progress"] or {}).get("state")
    if state == "ready":
        session.printer.remark(
            "Compare the two by `lorebase embedding compare`; let searches go by it with `lorebase embedding swap`."
        )
    return None if no_wait or state == "ready" else INCOMPLETE


@command.command("compare")
@click.option(
    "--questions",
    type=click.File("r", encoding="utf-8"),
    metavar="FILE",
    help="A question a line; after a tab the path or id of the item that answers it. By default titles are asked.",
)
@connected
def compare(session: Session, *, questions: TextIO | None) -> None:
    """Ask the same questions in both spaces, in one workspace, and show where they differ."""
    session.say_workspace()
    asked = [] if questions is None else [_question(session, line) for line in questions if line.strip()]
    body = {"workspace_id": session.workspace_url.rpartition("/")[2], "questions": asked}
    show_comparison(session.printer, session.client.post(f"{_url(session)}/compare", body))


@command.command("swap")
@connected
def swap(session: Session) -> None:
    """Search in the space that was filled, from the next request on."""
    _show(session, session.client.post(f"{_url(session)}/swap"))
    session.printer.remark("The one before is kept: `lorebase embedding rollback` goes back, `forget` deletes it.")


@command.command("rollback")
@connected
def roll_back(session: Session) -> None:
    """Search in the former space again, from the next request on."""
    _show(session, session.client.post(f"{_url(session)}/rollback"))


@command.command("cancel")
@connected
def cancel(session: Session) -> None:
    """Give up the change that is under way; the vectors that it made are deleted."""
    _show(session, session.client.delete(f"{_url(session)}/changes/current"))


@command.command("forget")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def forget(session: Session, *, yes: bool) -> None:
    """Keep the former space no longer; its vectors are deleted."""
    if not yes:
        ask("Delete the vectors of the former space? There is no way back but another change.")
    _show(session, session.client.delete(f"{_url(session)}/former"))


def _question(session: Session, line: str) -> Json:
    query, _, reference = line.strip("\r\n").partition("\t")
    return {"query": query, **({"item_id": find_item(session, reference)["id"]} if reference.strip() else {})}


def _url(session: Session) -> str:
    return f"{session.organization_url}/embedding"


def _described(estimate: Json) -> str:
    parts = [f"{estimate['chunks']:,} chunks", f"about {estimate['tokens']:,} tokens"]
    if estimate["seconds"] is not None:
        parts.append(f"about {_duration(estimate['seconds'])} of work")
    if estimate["money"] is not None:
        parts.append(f"{money_of(estimate['money'])} {estimate['currency']}")
    spent = " This month's budget would not suffice: the rest would wait." if estimate["spent_budgets"] else ""
    return f"{estimate['space']}: {', '.join(parts)}.{spent}"


def _await_filling(session: Session, embedding: Json, *, patience: Patience) -> Json:
    """Show how far it is until it is ready or blocked, or time is up."""
    with session.printer.progress() as stages:
        while embedding["progress"] and embedding["progress"]["state"] == "filling":
            progress = embedding["progress"]
            settled = progress["chunks_done"] + progress["chunks_failed"]
            stages.show("embedding", done=settled, total=max(progress["chunks_total"], settled))
            if not patience.wait(_PAUSE_SECONDS):
                break
            embedding = session.client.get(_url(session))
    return embedding


def _show(session: Session, embedding: Json) -> None:
    printer = session.printer
    printer.json(embedding)
    away = "" if embedding["is_active_offered"] or not embedding["active"] else ", not offered here: words alone find"
    printer.line(f"active   {embedding['active'] or 'none yet'}{away}")
    if embedding["filling"]:
        printer.line(f"filling  {embedding['filling']}{_progress(embedding['progress'])}")
    if embedding["former"]:
        printer.line(f"former   {embedding['former']}")
    for offered in embedding["offered"]:
        languages = "all languages" if offered["languages"] is None else ", ".join(offered["languages"])
        default = ", the default here" if offered["is_default"] else ""
        printer.line(f"offered  {offered['space']} ({languages}{default})")
    for problem in (embedding["progress"] or {}).get("problems", []):
        printer.line(f"problem  workspace {session.name_of_workspace(problem['workspace_id'])}: {problem['detail']}")
    for reason, count in (embedding["progress"] or {}).get("failures", {}).items():
        printer.line(f"failed   {count}: {reason}")
    if embedding["better"] not in (None, embedding["former"]):  # the way back to the former one is shorter
        printer.remark(f"This deployment's default is another: `lorebase embedding change {embedding['better']}`.")


def _progress(progress: Json | None) -> str:
    if progress is None:
        return ""
    left = progress["remaining_seconds"]
    rest = f", {_duration(left)} left" if progress["state"] == "filling" and left else ""
    return f": {progress['state']}, {progress['chunks_done']:,} of {progress['chunks_total']:,} chunks{rest}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
