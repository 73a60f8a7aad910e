"""`lorebase show`: one item, its body, or its original."""

import sys

import click

from chalicelib.cli.client import Json
from chalicelib.cli.errors import OriginalMissing
from chalicelib.cli.item_references import find_item
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import harmless_body


@click.command("show")
@click.argument("reference", metavar="PATH|ITEM_ID")
@click.option("--revision", type=click.IntRange(min=1), help="The item as it was at this revision.")
@click.option("--body", "only_body", is_flag=True, help="Print the Markdown body alone.")
@click.option("--raw", is_flag=True, help="Write the original's bytes, as they were uploaded.")
@connected
def command(session: Session, *, reference: str, revision: int | None, only_body: bool, raw: bool) -> None:
    """Show an item: what describes it, and its body."""
    if raw and (revision is not None or only_body):
        raise click.UsageError("--raw goes with neither --revision nor --body.")
    found = find_item(session, reference)
    if raw:
        _write_original(session, found)
        return
    item = session.client.get(f"{session.workspace_url}/items/{found['id']}", revision=revision)
    session.printer.json(item)
    if session.printer.wants_json:
        return
    if not only_body:
        _show_description(session, item)
    # Whoever pipes the body wants it word for word.
    sys.stdout.write(harmless_body(item["body"]) if sys.stdout.isatty() else item["body"])
    if not item["body"].endswith("\n"):
        sys.stdout.write("\n")


def _show_description(session: Session, item: Json) -> None:
    line = session.printer.line
    line(item["title"])
    line(f"path      {item['path']}")
    line(f"id        {item['id']}, revision {item['revision']}")
    line(f"class     {item['class']}, {item['kind']}, {item['scope']}, {item['status']}")
    if item["tags"]:
        line(f"tags      {', '.join(item['tags'])}")
    index = item["index"]
    why = f": {index['reason']['detail']}" if index["reason"] else f", {index['chunks']} chunks"
    line(f"index     {index['state']}{why}")
    for warning in item["warnings"]:
        line(f"warning   {warning['detail']}")
    line("")


def _write_original(session: Session, item: Json) -> None:
    upload_id = (item["original"] or {}).get("upload_id")
    if upload_id is None:
        raise OriginalMissing(f"{item['path']} has no original; its body is all there is.", path=item["path"])
    url = session.client.get(f"{session.workspace_url}/uploads/{upload_id}/raw", redirect="false")["url"]
    for block in session.client.stream(url):
        sys.stdout.buffer.write(block)
