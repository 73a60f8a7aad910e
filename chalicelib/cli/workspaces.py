"""`lorebase workspaces`: where knowledge lives."""

import click

from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.group("workspaces")
def command() -> None:
    """List and create workspaces."""


@command.command("list")
@connected
def list_workspaces(session: Session) -> None:
    """List the workspaces that you can reach, with your role in each."""
    workspaces = session.me["workspaces"]
    session.printer.json({"workspaces": workspaces})
    session.printer.table(
        ["SLUG", "NAME", "ROLE", "ID"],
        [[entry[name] for name in ("slug", "name", "role", "id")] for entry in workspaces],
    )


@command.command("create")
@click.argument("slug")
@click.option("--name", help="By default the slug.")
@connected
def create_workspace(session: Session, *, slug: str, name: str | None) -> None:
    """Create a workspace in your organization; for its admins."""
    body = {"slug": slug} if name is None else {"slug": slug, "name": name}
    workspace = session.client.post(f"{session.organization_url}/workspaces", body)
    session.printer.json(workspace)
    session.printer.line(f"created  {workspace['slug']}  {workspace['id']}")
