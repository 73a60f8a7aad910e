"""`lorebase trash`: what was deleted, and emptying it."""

from itertools import islice

import click

from chalicelib.cli.asking import ask
from chalicelib.cli.client import Json
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.command("trash")
@click.argument("folder", default="")
@click.option("--deleted-by", metavar="MEMBER", help="Only what this member deleted.")
@click.option("--limit", type=click.IntRange(min=1), default=200, show_default=True, help="How many at most.")
@click.option("--all", "everything", is_flag=True, help="However many they are.")
@click.option("--empty", "is_emptied", is_flag=True, help="Delete all of it for good; for owners.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def command(
    session: Session, *, folder: str, deleted_by: str | None, limit: int, everything: bool, is_emptied: bool, yes: bool
) -> None:
    """List what was deleted, of the whole workspace or of a folder's subtree, what was deleted last first."""
    if is_emptied:
        if folder or deleted_by:
            raise click.UsageError("--empty deletes the whole trash; single items go by `lorebase delete --for-good`.")
        _empty(session, yes=yes)
        return
    url, filters = (
        f"{session.workspace_url}/trash",
        {"folder": folder.strip("/"), "deleted_by": Named(session).member_id_of(deleted_by) if deleted_by else None},
    )
    entries = (entry for page in session.client.pages(url, "items", **filters) for entry in page)
    items = list(entries) if everything else list(islice(entries, limit + 1))
    has_more = not everything and len(items) > limit
    if has_more:
        items.pop()
    session.printer.json({"items": items, "has_more": has_more})
    session.printer.table(["PATH", "TITLE", "DELETED", "KEPT UNTIL", "ID"], [_row_of(entry) for entry in items])
    if has_more:
        session.printer.remark("There are more; use --all or a greater --limit.")
    elif not items:
        session.printer.remark("Nothing here.")


def _row_of(entry: Json) -> list[str]:
    kept_until = str(entry["kept_until"] or "emptied")[:10]
    item = entry["item"]
    return [item["path"], item["title"], str(entry["deleted_at"])[:16].replace("T", " "), kept_until, item["id"]]


def _empty(session: Session, *, yes: bool) -> None:
    session.say_workspace()
    if not yes:
        ask("Delete all that lies in the trash for good?")
    deleted, has_more = 0, True
    while has_more:
        emptied = session.client.delete(f"{session.workspace_url}/trash")
        deleted, has_more = deleted + emptied["deleted"], emptied["has_more"]
    session.printer.json({"deleted": deleted})
    session.printer.line(f"{deleted} deleted for good")
