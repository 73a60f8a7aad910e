"""`lorebase retry`: what failed, once more."""

from collections.abc import Iterable, Sequence

import click

from chalicelib.cli.batch import do_each
from chalicelib.cli.client import Json
from chalicelib.cli.errors import NothingAtPath, ServerProblem
from chalicelib.cli.item_references import find_item
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session, is_id


@click.command("retry")
@click.argument("references", metavar="[PATH|ID...]", nargs=-1)
@click.option("--all-failed", is_flag=True, help="Everything that failed to be extracted or indexed.")
@connected
def command(session: Session, *, references: Sequence[str], all_failed: bool) -> int:
    """Extract or index again what failed. An id is that of an item or of an upload."""
    if bool(references) == all_failed:
        raise click.UsageError("Name what to retry, or say --all-failed.")
    things = _all_failed(session) if all_failed else [_find(session, reference) for reference in references]
    if not things:
        session.printer.remark("Nothing has failed.")
    return do_each(
        session,
        "retried",
        things,
        lambda thing: session.client.post(f"{session.workspace_url}/{thing['collection']}/{thing['id']}/retry"),
    )


def _find(session: Session, reference: str) -> Json:
    """Return the failed upload that is meant, or else the item."""
    url = f"{session.workspace_url}/uploads"
    if is_id(reference):
        try:
            return {**session.client.get(f"{url}/{reference}"), "collection": "uploads"}
        except ServerProblem as error:
            if error.answered_status != 404:
                raise
        return {**find_item(session, reference), "collection": "items"}
    uploads: list[Json] = session.client.get(url, path=reference.strip("/"), limit=1)["uploads"]
    if uploads and uploads[0]["state"] == "failed":
        return {**uploads[0], "collection": "uploads"}
    try:
        return {**find_item(session, reference), "collection": "items"}
    except NothingAtPath:
        if uploads:
            return {**uploads[0], "collection": "uploads"}
        raise


def _all_failed(session: Session) -> list[Json]:
    """Return the last failed upload of each path, and the items that failed although their upload did not."""
    url = session.workspace_url
    things = {
        upload["path"]: {**upload, "collection": "uploads"}
        for upload in _latest_first(session.client.pages(f"{url}/uploads", "uploads", state="failed"))
    }
    for item in _latest_first(session.client.pages(f"{url}/items", "items", index_state="failed")):
        things.setdefault(item["path"], {**item, "collection": "items"})
    return list(things.values())


def _latest_first(pages: Iterable[list[Json]]) -> list[Json]:
    # Of several with one path the last in a dictionary stays; lists come latest first.
    return [thing for page in pages for thing in page][::-1]
