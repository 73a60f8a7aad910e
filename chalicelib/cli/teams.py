"""`lorebase teams`: named groups of users."""

import click

from chalicelib.cli.asking import ask
from chalicelib.cli.client import Json
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import harmless


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
@click.argument("team", metavar="TEAM")
@click.argument("name")
@connected
def rename_team(session: Session, *, team: str, name: str) -> None:
    """Give a team another name."""
    renamed = session.client.patch(_url(Named(session), session, team), {"name": name})
    session.printer.json(renamed)
    session.printer.line(f"renamed  {team} to {renamed['name']}")


@command.command("delete")
@click.argument("team", metavar="TEAM")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def delete_team(session: Session, *, team: str, yes: bool) -> None:
    """Delete a team with its grants; its users stay members."""
    team_id = Named(session).team_id_of(team)
    if not yes:
        ask(f"Delete team {harmless(team)} for good? What was opened to it alone is then for owners alone.")
    session.client.delete(f"{session.organization_url}/teams/{team_id}")
    _tell(session, {"deleted": team_id}, f"deleted  {team}")


@command.command("members")
@click.argument("team", metavar="TEAM")
@connected
def list_members(session: Session, *, team: str) -> None:
    """List the users of a team."""
    pages = session.client.pages(f"{_url(Named(session), session, team)}/members", "members")
    members = [member for page in pages for member in page]
    session.printer.json({"members": members})
    session.printer.table(
        ["ID", "NAME", "EMAIL"], [[member["id"], member["name"], member["email"] or ""] for member in members]
    )


@command.command("add")
@click.argument("team", metavar="TEAM")
@click.argument("member", metavar="MEMBER")
@connected
def add_member(session: Session, *, team: str, member: str) -> None:
    """Put a user into a team."""
    named = Named(session)
    member_id = named.member_id_of(member)
    session.client.put(f"{_url(named, session, team)}/members/{member_id}")
    _tell(session, {"added": member_id}, f"added  {member}")


@command.command("remove")
@click.argument("team", metavar="TEAM")
@click.argument("member", metavar="MEMBER")
@connected
def remove_member(session: Session, *, team: str, member: str) -> None:
    """Take a user out of a team."""
    named = Named(session)
    member_id = named.member_id_of(member)
    session.client.delete(f"{_url(named, session, team)}/members/{member_id}")
    _tell(session, {"removed": member_id}, f"removed  {member}")


def _url(named: Named, session: Session, team: str) -> str:
    return f"{session.organization_url}/teams/{named.team_id_of(team)}"


def _tell(session: Session, document: Json, line: str) -> None:
    session.printer.json(document)
    session.printer.line(line)
