"""`lorebase keys`: API keys."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import click

from chalicelib.cli.client import Json
from chalicelib.cli.named import Named
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.identity.model import KeyScope


@click.group("keys")
def command() -> None:
    """List, create, rotate and revoke API keys."""


@command.command("list")
@connected
def list_keys(session: Session) -> None:
    """List the organization's keys, or your own where you are no admin."""
    pages = session.client.pages(f"{session.organization_url}/api-keys", "api_keys")
    keys = [key for page in pages for key in page]
    session.printer.json({"api_keys": keys})
    if session.printer.wants_json:
        return
    named = Named(session)
    prefixes = {key["id"]: key["prefix"] for key in keys}
    session.printer.table(
        ["ID", "NAME", "PREFIX", "SCOPES", "MEMBER", "MADE BY", "FOLLOWS", "EXPIRES", "REVOKED"],
        [_row_of(key, named, prefixes) for key in keys],
    )


@command.command("create")
@click.argument("name")
@click.option("--member", metavar="MEMBER", help="Whose key; by default your own.")
@click.option("--scope", "scopes", type=choice_of(KeyScope), multiple=True, default=("read",), show_default=True)
@click.option("--only", "workspaces", metavar="SLUG|ID", multiple=True, help="Only for this workspace; repeatable.")
@click.option("--expires", type=click.DateTime(), help="When it stops working, in your time zone.")
@connected
def create_key(
    session: Session,
    *,
    name: str,
    member: str | None,
    scopes: Sequence[str],
    workspaces: Sequence[str],
    expires: datetime | None,
) -> None:
    """Create a key; its token is printed this once."""
    body = {
        "name": name,
        "member_id": Named(session).member_id_of(member) if member else None,
        "scopes": list(scopes),
        "workspace_ids": [session.find_workspace(named)["id"] for named in workspaces] or None,
        "expires_at": None if expires is None else expires.astimezone().isoformat(),
    }
    key = session.client.post(
        f"{session.organization_url}/api-keys", {name: value for name, value in body.items() if value is not None}
    )
    session.printer.json(key)
    session.printer.line(key["token"])
    session.printer.remark(f"Key {key['id']}. Keep the token; it is not shown again.")


@command.command("rotate")
@click.argument("key_id", type=click.UUID)
@click.option(
    "--overlap",
    metavar="SECONDS",
    type=click.IntRange(0, 2_592_000),
    default=86_400,
    show_default=True,
    help="How long the old key goes on; 0 ends it now.",
)
@connected
def rotate_key(session: Session, *, key_id: UUID, overlap: int) -> None:
    """Make a key that follows another with the same rights; its token is printed this once."""
    key = session.client.post(f"{session.organization_url}/api-keys/{key_id}/rotate", {"overlap_seconds": overlap})
    session.printer.json(key)
    session.printer.line(key["token"])
    session.printer.remark(f"Key {key['id']} follows {key_id}. Keep the token; it is not shown again.")


@command.command("revoke")
@click.argument("key_id", type=click.UUID)
@connected
def revoke_key(session: Session, *, key_id: UUID) -> None:
    """Revoke a key at once."""
    session.client.delete(f"{session.organization_url}/api-keys/{key_id}")
    session.printer.json({"revoked": str(key_id)})
    session.printer.line(f"revoked  {key_id}")


def _row_of(key: Json, named: Named, prefixes: Mapping[str, str]) -> list[str]:
    return [
        key["id"],
        key["name"],
        key["prefix"],
        ", ".join(key["scopes"]),
        named.person_of(key["member_id"]),
        named.person_of(key.get("created_by")),
        prefixes.get(key["rotated_from"], key["rotated_from"]) if key["rotated_from"] else "",
        (key["expires_at"] or "never")[:16],
        (key["revoked_at"] or "")[:16],
    ]
