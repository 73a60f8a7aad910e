"""`lorebase members`: the users, agents and services of the organization."""

from uuid import UUID

import click

from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.identity.model import PrincipalKind, WorkspaceRole


@click.group("members")
def command() -> None:
    """List, add and place members."""


@command.command("list")
@connected
def list_members(session: Session) -> None:
    """List the members of the organization."""
    pages = session.client.pages(f"{session.organization_url}/members", "members")
    members = [member for page in pages for member in page]
    session.printer.json({"members": members})
    session.printer.table(
        ["ID", "KIND", "NAME", "ROLE", "EMAIL"],
        [
            [member["id"], member["kind"], member["name"], member["organization_role"], member["email"] or ""]
            for member in members
        ],
    )


@command.command("add")
@click.argument("kind", type=choice_of(PrincipalKind))
@click.argument("name")
@click.option("--email", help="For users.")
@connected
def add_member(session: Session, *, kind: str, name: str, email: str | None) -> None:
    """Add a user, agent or service."""
    body = {"kind": kind, "name": name} if email is None else {"kind": kind, "name": name, "email": email}
    member = session.client.post(f"{session.organization_url}/members", body)
    session.printer.json(member)
    session.printer.line(f"added  {member['kind']} {member['name']}  {member['id']}")


@command.command("place")
@click.argument("member_id", type=click.UUID)
@click.argument("role", type=choice_of(WorkspaceRole))
@connected
def place_member(session: Session, *, member_id: UUID, role: str) -> None:
    """Give a member a role in the workspace, instead of any it has."""
    placed = session.client.put(f"{session.workspace_url}/members/{member_id}", {"role": role})
    session.printer.json(placed)
    session.printer.line(f"placed  {member_id} as {role}")


@command.command("remove")
@click.argument("member_id", type=click.UUID)
@connected
def remove_member(session: Session, *, member_id: UUID) -> None:
    """Take a member's role in the workspace away."""
    session.client.delete(f"{session.workspace_url}/members/{member_id}")
    session.printer.json({"removed": str(member_id)})
    session.printer.line(f"removed  {member_id}")
