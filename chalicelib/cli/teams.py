"""`lorebase teams`: named groups of users."""

from uuid import UUID

import click

from chalicelib.cli.client import Json
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.group("teams")
def command() -> None:
    """List, make and fill teams of users."""


@command.command("list")
@connected
def list_teams(session: Session) -> None:
    """List the organization's teams, or those that you are in where you are no admin."""
    teams = [team for page in session.client.pages(f"{session.organization_url}/teams", "teams") for team in page]
    session.printer.json({"teams": teams})
    session.printer.table(["ID", "NAME"], [[team["id"], team["name"]] for team in teams])


@command.command("create")
@click.argument("name")
@connected
def create_team(session: Session, *, name: str) -> None:
    """Create a team without users."""
    team = session.client.post(f"{session.organization_url}/teams", {"name": name})
    session.printer.json(team)
    session.printer.line(f"created  {team['name']}  {team['id']}")


@command.command("rename")
@click.argument("team_id", type=click.UUID)
@click.argument("name")
@connected
def rename_team(session: Session, *, team_id: UUID, name: str) -> None:
    """Give a team another name."""
    team = session.client.patch(_url(session, team_id), {"name": name})
    session.printer.json(team)
    session.printer.line(f"renamed  {team_id} to {team['name']}")


@command.command("delete")
@click.argument("team_id", type=click.UUID)
@connected
def delete_team(session: Session, *, team_id: UUID) -> None:
    """Delete a team with its grants; its users stay members."""
    session.client.delete(_url(session, team_id))
    _tell(session, {"deleted": str(team_id)}, f"deleted  {team_id}")


@command.command("members")
@click.argument("team_id", type=click.UUID)
@connected
def list_members(session: Session, *, team_id: UUID) -> None:
    """List the users of a team."""
    pages = session.client.pages(f"{_url(session, team_id)}/members", "members")
    members = [member for page in pages for member in page]
    session.printer.json({"members": members})
    session.printer.table(
        ["ID", "NAME", "EMAIL"], [[member["id"], member["name"], member["email"] or ""] for member in members]
    )


@command.command("add")
@click.argument("team_id", type=click.UUID)
@click.argument("member_id", type=click.UUID)
@connected
def add_member(session: Session, *, team_id: UUID, member_id: UUID) -> None:
    """Put a user into a team."""
    session.client.put(f"{_url(session, team_id)}/members/{member_id}")
    _tell(session, {"added": str(member_id)}, f"added  {member_id}")


@command.command("remove")
@click.argument("team_id", type=click.UUID)
@click.argument("member_id", type=click.UUID)
@connected
def remove_member(session: Session, *, team_id: UUID, member_id: UUID) -> None:
    """Take a user out of a team."""
    session.client.delete(f"{_url(session, team_id)}/members/{member_id}")
    _tell(session, {"removed": str(member_id)}, f"removed  {member_id}")


def _url(session: Session, team_id: UUID) -> str:
    return f"{session.organization_url}/teams/{team_id}"


def _tell(session: Session, document: Json, line: str) -> None:
    session.printer.json(document)
    session.printer.line(line)
