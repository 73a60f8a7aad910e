"""Finds the knowledge bases, folders and items that somebody means by names, paths and ids."""

from collections.abc import Iterable, Sequence

import click

from chalicelib.cli.client import Json
from chalicelib.cli.errors import KnowledgeBaseUnknown, NothingAtPath
from chalicelib.cli.item_references import find_item
from chalicelib.cli.session import Session, is_id
from chalicelib.cli.text import harmless


def url_of(session: Session, reference: str) -> str:
    """Return the path of the knowledge base with this id or name. Raises KnowledgeBaseUnknown, click.UsageError."""
    return f"{session.workspace_url}/knowledge-bases/{id_of(session, reference)}"


def id_of(session: Session, reference: str) -> str:
    """Return the id of the one knowledge base with this id or name. Raises KnowledgeBaseUnknown, click.UsageError."""
    if is_id(reference):
        return reference
    named = [each for each in all_of(session) if each["name"].casefold() == reference.casefold()]
    if not named:
        raise KnowledgeBaseUnknown(
            f"You see no knowledge base called {reference}; `lorebase knowledge-bases list` shows what there is.",
            knowledge_base=reference,
        )
    if len(named) > 1:
        ids = ", ".join(each["id"] for each in named)
        raise click.UsageError(f"Several knowledge bases are called {harmless(reference)}; say which by its id: {ids}.")
    return str(named[0]["id"])


def all_of(session: Session) -> list[Json]:
    """Return the knowledge bases that the caller sees."""
    pages = session.client.pages(f"{session.workspace_url}/knowledge-bases", "knowledge_bases")
    return [each for page in pages for each in page]


def chosen_of(session: Session, named: Sequence[str], *, everything: bool) -> list[str]:
    """Return how the API is told which knowledge bases to look in; an empty list is none of them in particular."""
    if named and everything:
        raise click.UsageError("Say either --knowledge-base or --all-knowledge-bases.")
    return ["all"] if everything else [id_of(session, reference) for reference in named]


def members_of(session: Session, references: Iterable[str]) -> Json:
    """Return folders and items as the API takes them: a path with a slash at its end, or of no item, is a folder."""
    folders: list[str] = []
    items: list[str] = []
    for reference in references:
        if reference.endswith("/"):
            folders.append(reference.strip("/"))
            continue
        try:
            items.append(str(find_item(session, reference)["id"]))
        except NothingAtPath:
            folders.append(reference.strip("/"))
    return {"folders": folders, "items": items}
