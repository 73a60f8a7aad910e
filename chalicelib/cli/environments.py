"""`lorebase environments`: an agent sees the knowledge of its own one alone."""

import click

from chalicelib.cli.client import Json
from chalicelib.cli.errors import EnvironmentUnknown
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.group("environments")
def command() -> None:
    """List, create and delete environments of agents."""


@command.command("list")
@connected
def list_environments(session: Session) -> None:
    """List the organization's environments, without the default one."""
    environments = _listed(session)
    session.printer.json({"environments": environments})
    session.printer.table(["SLUG", "ID"], [[entry["slug"], entry["id"]] for entry in environments])


@command.command("create")
@click.argument("slug")
@connected
def create_environment(session: Session, *, slug: str) -> None:
    """Create an environment."""
    environment = session.client.post(f"{session.organization_url}/environments", {"slug": slug})
    session.printer.json(environment)
    session.printer.line(f"created  {environment['slug']}  {environment['id']}")


@command.command("delete")
@click.argument("slug")
@connected
def delete_environment(session: Session, *, slug: str) -> None:
    """Delete an environment that no agent, folder or item is in."""
    ids = [entry["id"] for entry in _listed(session) if slug in {entry["slug"], entry["id"]}]
    if not ids:
        raise EnvironmentUnknown(f"There is no environment called {slug}.", environment=slug)
    session.client.delete(f"{session.organization_url}/environments/{ids[0]}")
    session.printer.json({"deleted": slug})
    session.printer.line(f"deleted  {slug}")


def _listed(session: Session) -> list[Json]:
    found: list[Json] = session.client.get(f"{session.organization_url}/environments")["environments"]
    return found
