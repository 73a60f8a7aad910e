"""`lorebase retry`: what failed, once more."""

from collections.abc import Iterable, Sequence

import click

from chalicelib.cli.batch import report, try_each
from chalicelib.cli.client import Json
from chalicelib.cli.errors import NothingAtPath, ServerProblem
from chalicelib.cli.item_references import find_item
from chalicelib.cli.options import connected
from chalicelib.cli.retry_endings import see_endings
from chalicelib.cli.session import Session, is_id
from chalicelib.cli.waiting import Patience


@click.command("retry")
@click.argument("references", metavar="[PATH|ID...]", nargs=-1)
@click.option("--all-failed", is_flag=True, help="Everything that failed to be extracted or indexed.")
@click.option("--wait/--no-wait", default=False, show_default=True, help="Whether to wait and tell what came of it.")
@click.option("--timeout", metavar="SECONDS", type=click.FloatRange(min=0), help="How long to wait at most.")
@connected
def command(session: Session, *, references: Sequence[str], all_failed: bool, wait: bool, timeout: float | None) -> int:
    """Extract or index again what failed. An id is that of an item or of an upload."""
    if bool(references) == all_failed:
        raise click.UsageError("Name what to retry, or say --all-failed.")
    things = _all_failed(session) if all_failed else [_find(session, reference) for reference in references]
    if not things:
        session.printer.remark("Nothing has failed, so there is nothing to retry.")
    url = session.workspace_url
    batch = try_each(things, lambda thing: session.client.post(f"{url}/{thing['collection']}/{thing['id']}/retry"))
    is_any_queued = bool(batch.done)
    if wait and is_any_queued:
        see_endings(session, batch, things, patience=Patience(timeout))
    elif is_any_queued:
        session.printer.remark("Queued; `lorebase status` shows what comes of it, and --wait waits for that.")
    elif batch.failed and batch.end is None:
        session.printer.remark("Nothing could be retried; mend the documents and upload them again.")
    return report(session, batch, done="retried", said="done" if wait else "queued")


def _find(session: Session, reference: str) -> Json:
    """Return the failed upload that is meant, or else the item."""
    url = f"{session.workspace_url}/uploads"
    if is_id(reference):
        try:
            return {**session.client.get(f"{url}/{reference}"), "collection": "uploads"}
        except ServerProblem as error:
            if error.answered_status != 404:
                raise
        item = find_item(session, reference)
        # An item that failed because its original could not be read is retried by its upload.
        return _failed_upload(session, item["path"]) or {**item, "collection": "items"}
    failed = _failed_upload(session, reference)
    if failed is not None:
        return failed
    try:
        return {**find_item(session, reference), "collection": "items"}
    except NothingAtPath:
        uploads = session.client.get(url, path=reference.strip("/"), limit=1)["uploads"]
        if uploads:
            return {**uploads[0], "collection": "uploads"}
        raise


def _failed_upload(session: Session, path: str) -> Json | None:
    """Return the latest upload to a path, if it failed."""
    uploads = session.client.get(f"{session.workspace_url}/uploads", path=path.strip("/"), limit=1)["uploads"]
    return {**uploads[0], "collection": "uploads"} if uploads and uploads[0]["state"] == "failed" else None


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
