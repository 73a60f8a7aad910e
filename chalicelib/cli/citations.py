"""`lorebase citations`: what used which passages, as far as you may read them."""

from itertools import islice
from uuid import UUID

import click

from chalicelib.cli.client import Json
from chalicelib.cli.item_references import find_item
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session

_SHOWN = 200


@click.group("citations")
def command() -> None:
    """Show what an item was cited by, and what a consumer cited."""


@command.command("of")
@click.argument("reference", metavar="PATH|ID")
@connected
def list_of_item(session: Session, *, reference: str) -> None:
    """List what an item was cited by, the latest first."""
    item = find_item(session, reference)
    _list(session, f"{session.workspace_url}/items/{item['id']}/citations", {})


@command.command("by")
@click.argument("kind")
@click.argument("consumer_id", metavar="ID")
@connected
def list_by_consumer(session: Session, *, kind: str, consumer_id: str) -> None:
    """List what a consumer cited, such as `page 42`, the latest first."""
    _list(session, f"{session.workspace_url}/citations", {"consumer_kind": kind, "consumer_id": consumer_id})


@command.command("answer")
@click.argument("answer_id", type=click.UUID)
@connected
def show_answer(session: Session, *, answer_id: UUID) -> None:
    """Show an answer with its citations; its text where you may read all that it cites."""
    answer = session.client.get(f"{session.workspace_url}/answers/{answer_id}")
    session.printer.json(answer)
    session.printer.line(f"{answer['consumer_kind']} {answer['consumer_id']}  {answer['title'] or ''}")
    if answer["text"]:
        session.printer.line(answer["text"])
    elif answer["withheld"] and answer["text_sha256"]:
        session.printer.remark(
            f"The text is withheld: you may not read all that it cites. It has {answer['text_characters']} characters"
            f" and the SHA-256 {answer['text_sha256']}."
        )
    _table(session, answer["citations"])


def _list(session: Session, url: str, query: Json) -> None:
    pages = session.client.pages(url, "citations", **query)
    citations = list(islice((citation for page in pages for citation in page), _SHOWN + 1))
    has_more = len(citations) > _SHOWN
    shown = citations[:_SHOWN]
    session.printer.json({"citations": shown, "has_more": has_more})
    _table(session, shown)
    if has_more:
        session.printer.remark(f"There are more than these {_SHOWN}; the API pages through all of them.")
    elif not shown:
        session.printer.remark("Nothing was cited that you may read.")


def _table(session: Session, citations: list[Json]) -> None:
    session.printer.table(
        ["PATH", "REV", "SPAN", "BY", "ANSWER"],
        [
            [
                each["path"],
                str(each["revision"]),
                "-".join(map(str, each["span"])),
                f"{each['consumer_kind']} {each['consumer_id']}",
                each["answer_id"],
            ]
            for each in citations
        ],
    )
