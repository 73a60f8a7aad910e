"""`lorebase tree`: what lies directly in a folder."""

import click

from chalicelib.cli.item_references import check_folder
from chalicelib.cli.listing import row_of
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.command("tree")
@click.argument("folder", default="")
@connected
def command(session: Session, *, folder: str) -> None:
    """Show a folder's subfolders, with how many items each holds, and its items."""
    url, items = f"{session.workspace_url}/tree", []
    page = session.client.get(url, folder=folder.strip("/"), limit=200)
    items += page["items"]
    while page["next_cursor"]:
        page = session.client.get(url, folder=folder.strip("/"), limit=200, cursor=page["next_cursor"])
        items += page["items"]
    if not items and not page["folders"]:
        check_folder(session, folder)
    session.printer.json({"folder": page["folder"], "folders": page["folders"], "items": items})
    for entry in page["folders"]:
        session.printer.line(f"{entry['name']}/  {entry['items']} items")
    if items:
        session.printer.table(["PATH", "TITLE", "STATE", "REV", "UPDATED"], [row_of(item) for item in items])
    elif not page["folders"]:
        session.printer.remark("Nothing here.")
