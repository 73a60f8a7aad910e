"""`lorebase members`: the users, agents and services of the organization."""

import click

from chalicelib.cli.asking import ask
from chalicelib.cli.named import Named
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.roles import told_roles
from chalicelib.cli.session import Session
from chalicelib.cli.text import harmless
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
        ["ID", "KIND", "NAME", "ORG ROLE", "ROLES", "EMAIL", "ENVIRONMENT", "STATE"],
        [
            [
                member["id"],
                member["kind"],
                member["name"],
                member["organization_role"],
                told_roles(session, member["roles"]),
                member["email"] or "",
                member["environment"] or "",
                "disabled" if member["disabled_at"] else "",
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
    slug = Named(session).environment_of(environment) if environment else None
    body = {"kind": kind, "name": name, "email": email, "environment": _environment(slug)}
    body = {field: value for field, value in body.items() if value is not None}
    added = session.client.post(f"{session.organization_url}/members", body)
    session.printer.json(added)
    session.printer.line(f"added  {added['kind']} {added['name']}  {added['id']}")


@command.command("place")
@click.argument("member", metavar="MEMBER")
@click.argument("role", type=click.Choice(GIVEN_ROLES))
@connected
def place_member(session: Session, *, member: str, role: str) -> None:
    """Give a member a role in the workspace, instead of any it has."""
    member_id = Named(session).member_id_of(member)
    placed = session.client.put(f"{session.workspace_url}/members/{member_id}", {"role": role})
    session.printer.json(placed)
    session.printer.line(f"placed  {member} as {role}")


@command.command("remove")
@click.argument("member", metavar="MEMBER")
@connected
def remove_member(session: Session, *, member: str) -> None:
    """Take a member's role in the workspace away."""
    member_id = Named(session).member_id_of(member)
    session.client.delete(f"{session.workspace_url}/members/{member_id}")
    session.printer.json({"removed": member_id})
    session.printer.line(f"removed  {member}")
    session.printer.remark("Where a grant or an audience names them or a team of theirs, they stay in as a guest.")


@command.command("environment")
@click.argument("member", metavar="MEMBER")
@click.argument("slug", metavar="SLUG|default")
@connected
def move_member(session: Session, *, member: str, slug: str) -> None:
    """Put an agent into another environment."""
    named = Named(session)
    member_id = named.member_id_of(member)
    body = {"environment": _environment(named.environment_of(slug))}
    moved = session.client.patch(f"{session.organization_url}/members/{member_id}", body)
    session.printer.json(moved)
    session.printer.line(f"moved  {member} to {slug}")


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
        " it is not shown again. They join with this, and paste the token when it waits for a line:"
        f" lorebase --endpoint {session.client.url} invitations accept - NAME"
    )


@command.command("delete")
@click.argument("member", metavar="MEMBER")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def delete_member(session: Session, *, member: str, yes: bool) -> None:
    """Remove a member from the organization, with its keys, roles and grants; what it made stays."""
    member_id = Named(session).member_id_of(member)
    if not yes:
        ask(f"Remove member {harmless(member)} for good?")
    session.client.delete(f"{session.organization_url}/members/{member_id}")
    session.printer.json({"deleted": member_id})
    session.printer.line(f"deleted  {member}")


def _environment(slug: str | None) -> str | None:
    return None if slug == "default" else slug
