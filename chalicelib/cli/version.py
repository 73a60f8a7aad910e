"""`lorebase version`: of the command and of the server."""

import click

from chalicelib.cli.errors import ServerUnreachable
from chalicelib.cli.options import connected
from chalicelib.cli.own_version import own_version
from chalicelib.cli.session import Session


@click.command("version")
@connected
def command(session: Session) -> None:
    """Show the versions of the command and the server."""
    own = own_version()
    try:
        server = session.client.health()["version"]
    except ServerUnreachable:
        server = None
    session.printer.json({"version": own, "server": server, "endpoint": session.client.url})
    session.printer.line(f"lorebase {own}")
    session.printer.line(f"server {server} at {session.client.url}" if server else "no server answers")
