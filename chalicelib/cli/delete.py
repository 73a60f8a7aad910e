"""`lorebase delete`: items out of the workspace."""

import sys
from collections.abc import Sequence

import click

from chalicelib.cli.batch import report, try_each
from chalicelib.cli.client import Json
from chalicelib.cli.errors import NothingAtPath
from chalicelib.cli.item_references import find_item, list_folder
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import harmless


@click.command("delete")
@click.argument("references", metavar="PATH|ITEM_ID...", nargs=-1, required=True)
@click.option("-r", "--recursive", is_flag=True, help="Take a path for a folder, and delete all in its subtree.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def command(session: Session, *, references: Sequence[str], recursive: bool, yes: bool) -> int:
    """Delete items; they are out of every list and search at once."""
    items = _find_items(session, references, recursive=recursive)
    session.say_workspace()
    if not yes:
        _ask(items)
    url = f"{session.workspace_url}/items"
    batch = try_each(
        list(items.values()),
        lambda item: session.client.delete(f"{url}/{item['id']}", revision=int(item["revision"])),
    )
    return report(session, batch, done="deleted")


def _find_items(session: Session, references: Sequence[str], *, recursive: bool) -> dict[str, Json]:
    """Return the items by id; one that is missing is said before anything is deleted."""
    items: dict[str, Json] = {}
    for reference in references:
        try:
            found = [find_item(session, reference)]
        except NothingAtPath:
            found = list_folder(session, reference)
            if not found:
                raise
            if not recursive:
                raise click.UsageError(
                    f"{harmless(reference)} is a folder with {len(found)} items; say --recursive to delete them all."
                ) from None
        items.update({item["id"]: item for item in found})
    return items


def _ask(items: dict[str, Json]) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("Say --yes to delete without being asked.")
    paths = [harmless(item["path"]) for item in items.values()]
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    click.confirm(f"Delete {shown}?", abort=True, err=True)
