"""`lorebase members`: the users, agents and services of the organization."""

from uuid import UUID

import click

from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.identity.model import PrincipalKind, WorkspaceRole


@click.group("members")
def command() -> None:
    """List, add, invite, place and delete members."""


GIVEN_ROLES = [role.value for role in WorkspaceRole if role is not WorkspaceRole.GUEST]
"""The roles that members can be given; nobody is made a guest."""


@command.command("list")
@connected
def list_members(session: Session) -> None:
    """List the members of the organization."""
    pages = session.client.pages(f"{session.organization_url}/members", "members")
    members = [member for page in pages for member in page]
    session.printer.json({"members": members})
    session.printer.table(
        ["ID", "KIND", "NAME", "ROLE", "EMAIL", "ENVIRONMENT"],
        [
            [
                member["id"],
                member["kind"],
                member["name"],
                member["organization_role"],
                member["email"] or "",
                member["environment"] or "",
            ]
            for member in members
        ],
    )


@command.command("add")
@click.argument("kind", type=choice_of(PrincipalKind))
@click.argument("name")
@click.option("--email", help="For users.")
@click.option("--environment", metavar="SLUG", help="For agents; by default the default one.")
@connected
def add_member(session: Session, *, kind: str, name: str, email: str | None, environment: str | None) -> None:
    """Add a user, agent or service."""
    body = {"kind": kind, "name": name, "email": email, "environment": _environment(environment)}
    body = {field: value for field, value in body.items() if value is not None}
    member = session.client.post(f"{session.organization_url}/members", body)
    session.printer.json(member)
    session.printer.line(f"added  {member['kind']} {member['name']}  {member['id']}")


@command.command("place")
@click.argument("member_id", type=click.UUID)
@click.argument("role", type=click.Choice(GIVEN_ROLES))
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


@command.command("environment")
@click.argument("member_id", type=click.UUID)
@click.argument("slug", metavar="SLUG|default")
@connected
def move_member(session: Session, *, member_id: UUID, slug: str) -> None:
    """Put an agent into another environment."""
    body = {"environment": _environment(slug)}
    moved = session.client.patch(f"{session.organization_url}/members/{member_id}", body)
    session.printer.json(moved)
    session.printer.line(f"moved  {member_id} to {slug}")


@command.command("invite")
@click.argument("email")
@click.option("--admin", is_flag=True, help="As an admin of the organization.")
@click.option("--role", type=click.Choice(GIVEN_ROLES), help="With this role in the workspace.")
@click.option("--days", type=click.IntRange(1, 30), default=7, show_default=True, help="How long it is good.")
@connected
def invite_member(session: Session, *, email: str, admin: bool, role: str | None, days: int) -> None:
    """Invite somebody; the token, which is yours to send, is printed this once."""
    invitation = session.client.post(
        f"{session.organization_url}/invitations",
        {
            "email": email,
            "organization_role": "admin" if admin else "member",
            "roles": {} if role is None else {session.workspace_url.rpartition("/")[2]: role},
            "valid_days": days,
        },
    )
    session.printer.json(invitation)
    session.printer.line(invitation["token"])
    session.printer.remark(
        f"Invitation {invitation['id']}, good until {invitation['expires_at'][:16]}. Send the token to {email};"
        " it is not shown again. They join with: lorebase invitations accept TOKEN NAME"
    )


@command.command("delete")
@click.argument("member_id", type=click.UUID)
@click.option("--yes", is_flag=True, help="Do not ask.")
@connected
def delete_member(session: Session, *, member_id: UUID, yes: bool) -> None:
    """Remove a member from the organization, with its keys, roles and grants; what it made stays."""
    if not yes:
        click.confirm(f"Remove member {member_id} for good?", abort=True, err=True)
    session.client.delete(f"{session.organization_url}/members/{member_id}")
    session.printer.json({"deleted": str(member_id)})
    session.printer.line(f"deleted  {member_id}")


def _environment(slug: str | None) -> str | None:
    return None if slug == "default" else slug
