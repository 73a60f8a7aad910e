"""`lorebase list`: items of a workspace or a folder."""

from collections.abc import Sequence
from itertools import islice

import click

from chalicelib.cli.client import Json
from chalicelib.cli.item_references import check_folder
from chalicelib.cli.knowledge_base_references import chosen_of
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.items.model import IndexState, ItemClass, ItemKind, ItemScope, ItemStatus


@click.command("list")
@click.argument("folder", default="")
@click.option("--kind", type=choice_of(ItemKind), multiple=True, help="Only of this kind.")
@click.option("--class", "item_class", type=choice_of(ItemClass), multiple=True, help="Only of this class.")
@click.option("--scope", type=choice_of(ItemScope), multiple=True, help="Only of this scope.")
@click.option("--status", type=choice_of(ItemStatus), multiple=True, help="Only of this status.")
@click.option("--state", "index_state", type=choice_of(IndexState), multiple=True, help="Only in this state.")
@click.option("--language", metavar="CODE", multiple=True, help="Only in this language.")
@click.option("--tag", metavar="TAG", multiple=True, help="Only with this tag; repeatable, all must fit.")
@click.option("--sort", type=click.Choice(["path", "updated"]), default="path", show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=200, show_default=True, help="How many at most.")
@click.option("--all", "everything", is_flag=True, help="However many they are.")
@click.option("--knowledge-base", "knowledge_bases", metavar="NAME|ID", multiple=True, help="Only in it; repeatable.")
@click.option("--all-knowledge-bases", is_flag=True, help="Only in knowledge bases that you reach.")
@connected
def command(
    session: Session,
    *,
    folder: str,
    limit: int,
    everything: bool,
    knowledge_bases: Sequence[str],
    all_knowledge_bases: bool,
    **filters: object,
) -> None:
    """List items, of the whole workspace or of a folder's subtree."""
    filters["class"] = filters.pop("item_class")
    filters["knowledge_base"] = chosen_of(session, knowledge_bases, everything=all_knowledge_bases)
    entries = (
        item
        for page in session.client.pages(f"{session.workspace_url}/items", "items", folder=folder.strip("/"), **filters)
        for item in page
    )
    items = list(entries) if everything else list(islice(entries, limit + 1))
    if not items:
        check_folder(session, folder)
    has_more = not everything and len(items) > limit
    if has_more:
        items.pop()
    session.printer.json({"items": items, "has_more": has_more})
    session.printer.table(["PATH", "TITLE", "STATE", "REV", "UPDATED"], [row_of(item) for item in items])
    if has_more:
        session.printer.remark("There are more; use --all or a greater --limit.")
    elif not items:
        session.printer.remark("Nothing here.")


def row_of(item: Json) -> list[str]:
    """Return how an item is shown in a table."""
    updated = str(item["updated_at"])[:16].replace("T", " ")
    return [item["path"], item["title"], item["index"]["state"], str(item["revision"]), updated]
