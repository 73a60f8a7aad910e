"""`lorebase version`: of the command and of the server."""

from importlib.metadata import PackageNotFoundError, version

import click

from chalicelib.cli.errors import ServerUnreachable
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.command("version")
@connected
def command(session: Session) -> None:
    """Show the versions of the command and the server."""
    try:
        own = version("lorebase")
    except PackageNotFoundError:
        own = "0"
    try:
        server = session.client.health()["version"]
    except ServerUnreachable:
        server = None
    session.printer.json({"version": own, "server": server, "endpoint": session.client.url})
    session.printer.line(f"lorebase {own}")
    session.printer.line(f"server {server} at {session.client.url}" if server else "no server answers")
