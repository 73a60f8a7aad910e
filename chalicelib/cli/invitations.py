"""`lorebase invitations`: how people become members. `lorebase members invite` makes them."""

import sys
from datetime import UTC, datetime
from uuid import UUID

import click

from chalicelib.cli.client import Json
from chalicelib.cli.options import connected
from chalicelib.cli.roles import told_roles
from chalicelib.cli.session import Session


@click.group("invitations")
def command() -> None:
    """List, accept and revoke invitations."""


@command.command("list")
@connected
def list_invitations(session: Session) -> None:
    """List the organization's invitations, open or over."""
    pages = session.client.pages(f"{session.organization_url}/invitations", "invitations")
    invitations = [invitation for page in pages for invitation in page]
    session.printer.json({"invitations": invitations})
    session.printer.table(
        ["ID", "EMAIL", "ORG ROLE", "ROLES", "STATE", "EXPIRES"],
        [
            [
                entry["id"],
                entry["email"],
                entry["organization_role"],
                told_roles(session, entry["roles"]),
                _state(entry),
                entry["expires_at"][:16],
            ]
            for entry in invitations
        ],
    )


@command.command("accept")
@click.argument("token")
@click.argument("name")
@connected
def accept_invitation(session: Session, *, token: str, name: str) -> None:
    """Become a member under a name; your first API key is printed this once. Needs no key; - reads the token."""
    given = sys.stdin.readline().strip() if token == "-" else token  # noqa: S105  it says where the token is
    accepted = session.client.post_as_nobody("/v1/invitations/accept", {"token": given, "name": name})
    session.printer.json(accepted)
    session.printer.line(accepted["api_key"]["token"])
    session.printer.remark("You are a member. Keep the key, as LOREBASE_KEY for example; it is not shown again.")


@command.command("revoke")
@click.argument("invitation_id", type=click.UUID)
@connected
def revoke_invitation(session: Session, *, invitation_id: UUID) -> None:
    """Revoke an invitation at once."""
    session.client.delete(f"{session.organization_url}/invitations/{invitation_id}")
    session.printer.json({"revoked": str(invitation_id)})
    session.printer.line(f"revoked  {invitation_id}")


def _state(invitation: Json) -> str:
    if invitation["accepted_at"]:
        return "accepted"
    if invitation["revoked_at"]:
        return "revoked"
    is_over = datetime.fromisoformat(invitation["expires_at"]) <= datetime.now(UTC)
    return "expired" if is_over else "open"
