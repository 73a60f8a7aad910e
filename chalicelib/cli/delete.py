"""`lorebase delete`: items out of the workspace."""

from collections.abc import Sequence
from contextlib import suppress

import click

from chalicelib.cli.asking import ask
from chalicelib.cli.batch import report, try_each
from chalicelib.cli.client import Json
from chalicelib.cli.errors import NOT_FOUND, NothingAtPath, ServerProblem, exit_code_of
from chalicelib.cli.item_references import find_item, list_folder
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import count_of, harmless
from chalicelib.cli.trash_references import find_in_trash


@click.command("delete")
@click.argument("references", metavar="PATH|ITEM_ID...", nargs=-1, required=True)
@click.option("-r", "--recursive", is_flag=True, help="Take a path for a folder, and delete all in its subtree.")
@click.option("--for-good", "for_good", is_flag=True, help="Out of the trash as well, where they may lie already.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def command(session: Session, *, references: Sequence[str], recursive: bool, for_good: bool, yes: bool) -> int:
    """Delete items; they are out of every list and search at once, and lie in the trash for a while."""
    buried = _find_buried(session, references) if for_good else {}
    living = [reference for reference in references if reference not in buried]
    items = _find_items(session, living, recursive=recursive)
    session.say_workspace()
    found = [*items.values(), *buried.values()]
    if not yes:
        _ask(found, for_good=for_good)
    url = session.workspace_url

    def delete(item: Json) -> None:
        if item["id"] in items:
            session.client.delete(f"{url}/items/{item['id']}", revision=int(item["revision"]))
        if for_good:
            session.client.delete(f"{url}/trash/{item['id']}")

    batch = try_each(found, delete)
    return report(session, batch, done="deleted", said="deleted for good" if for_good else None)


def _find_buried(session: Session, references: Sequence[str]) -> dict[str, Json]:
    """Return what lies in the trash already, by reference; at a path, a living item comes first."""
    buried: dict[str, Json] = {}
    for reference in references:
        found: list[Json] = []
        with suppress(NothingAtPath):
            found = _in_trash(session, reference)
        if len(found) > 1:
            ids = ", ".join(item["id"] for item in found)
            raise click.UsageError(f"Several in the trash lay at {harmless(reference)}; name one by its id: {ids}.")
        if found:
            buried[reference] = found[0]
    return buried


def _in_trash(session: Session, reference: str) -> list[Json]:
    try:
        find_item(session, reference)
    except NothingAtPath:
        return find_in_trash(session, reference)
    except ServerProblem as error:
        if exit_code_of(error) != NOT_FOUND:
            raise
        return find_in_trash(session, reference)
    return []


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
                counted = count_of(len(found), "item")
                raise click.UsageError(
                    f"{harmless(reference)} is a folder with {counted}; say --recursive to delete all in it."
                ) from None
        items.update({item["id"]: item for item in found})
    return items


def _ask(items: Sequence[Json], *, for_good: bool) -> None:
    paths = [harmless(item["path"]) for item in items]
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    ask(f"Delete {shown}{' for good' if for_good else ''}?")
