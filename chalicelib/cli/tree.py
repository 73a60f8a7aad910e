"""`lorebase tree`: what lies directly in a folder."""

from collections.abc import Sequence

import click

from chalicelib.cli.item_references import check_folder
from chalicelib.cli.knowledge_base_references import chosen_of
from chalicelib.cli.listing import row_of
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import count_of


@click.command("tree")
@click.argument("folder", default="")
@click.option("--knowledge-base", "knowledge_bases", metavar="NAME|ID", multiple=True, help="Only in it; repeatable.")
@click.option("--all-knowledge-bases", is_flag=True, help="Only in knowledge bases that you reach.")
@connected
def command(session: Session, *, folder: str, knowledge_bases: Sequence[str], all_knowledge_bases: bool) -> None:
    """Show a folder's subfolders, with how many items each holds, and its items."""
    url, items = f"{session.workspace_url}/tree", []
    chosen = chosen_of(session, knowledge_bases, everything=all_knowledge_bases)
    query = {"folder": folder.strip("/"), "knowledge_base": chosen, "limit": 200}
    page = session.client.get(url, **query)
    items += page["items"]
    while page["next_cursor"]:
        page = session.client.get(url, **query, cursor=page["next_cursor"])
        items += page["items"]
    if not items and not page["folders"]:
        check_folder(session, folder)
    session.printer.json({"folder": page["folder"], "folders": page["folders"], "items": items})
    for entry in page["folders"]:
        session.printer.line(f"{entry['name']}/  {count_of(entry['items'], 'item')}")
    if items:
        session.printer.table(["PATH", "TITLE", "STATE", "REV", "UPDATED"], [row_of(item) for item in items])
    elif not page["folders"]:
        session.printer.remark("Nothing here.")
