"""`lorebase move-folder`: a folder with all that lies in it to another place, or under another name."""

import click

from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import count_of


@click.command("move-folder")
@click.argument("source", metavar="FOLDER")
@click.argument("target", metavar="NEW_PATH")
@connected
def command(session: Session, *, source: str, target: str) -> None:
    """Move or rename a folder with all that lies in it, or nothing of it. Nothing is indexed anew."""
    session.say_workspace()
    body = {"from": source.strip("/"), "to": target.strip("/")}
    moved = session.client.post(f"{session.workspace_url}/folders/move", body)
    session.printer.json(moved)
    session.printer.line(f"moved  {source.strip('/')} to {moved['path']}: {count_of(moved['items'], 'item')}")
