"""`lorebase access`: who may read an item or what lies in a folder, why, and who can."""

from collections.abc import Sequence

import click

from chalicelib.cli.access_list import SILENT, forget_access, list_access
from chalicelib.cli.access_set import set_access, told_access
from chalicelib.cli.access_subjects import find_subject
from chalicelib.cli.client import Json
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.group("access")
def command() -> None:
    """Say and see who may read items and folders."""


for subcommand in (set_access, list_access, forget_access):
    command.add_command(subcommand)


@command.command("show")
@click.argument("reference", metavar="PATH|ID")
@connected
def show_access(session: Session, *, reference: str) -> None:
    """Show what is said about an item or a folder itself."""
    subject = find_subject(session, reference)
    said = dict(SILENT) if subject.url is None else session.client.get(f"{subject.url}/access")
    session.printer.json({"path": subject.path, "is_folder": subject.is_folder, **said})
    if not session.printer.wants_json:
        told_access(session, subject, said)


@command.command("why")
@click.argument("reference", metavar="PATH|ID")
@click.option("--member", metavar="NAME|ID", help="About whom; by default yourself. Owners may ask about all.")
@connected
def explain_access(session: Session, *, reference: str, member: str | None) -> None:
    """Tell why somebody can or cannot read and write."""
    subject = find_subject(session, reference, names_folder=True)
    member_id = None if member is None else Named(session).member_id_of(member)
    told = session.client.get(f"{subject.url}/access/explanation", member_id=member_id)
    session.printer.json(told)
    session.printer.line(f"{told['standing']['name']} {_verdict(told)} {told['path']}")
    for standing in (told["standing"], told["on_behalf_of"]):
        if standing is not None:
            _tell(session, standing)


@command.command("readers")
@click.argument("reference", metavar="PATH|ID")
@connected
def list_readers(session: Session, *, reference: str) -> None:
    """List who can read, and by what; for owners."""
    subject = find_subject(session, reference, names_folder=True)
    readers = [reader for page in session.client.pages(f"{subject.url}/readers", "readers") for reader in page]
    session.printer.json({"path": subject.path, "readers": readers})
    session.printer.table(
        ["NAME", "KIND", "ROLE", "BY", "ID"],
        [[reader["name"], reader["kind"], reader["role"], _by(reader["grounds"]), reader["id"]] for reader in readers],
    )
    session.printer.remark(f"{len(readers)} can read {subject.path}.")


def _tell(session: Session, standing: Json) -> None:
    line = session.printer.line
    line(f"{standing['kind']} {standing['name']}, {standing['role'] or 'no role'} of the workspace")
    for clause in standing["clauses"]:
        named = ", ".join(str(named["name"]) for named in clause["named"])
        line(
            f"  {clause['reason']}",
            f" at {clause['path']}" if clause["path"] else "",
            f" ({named})" if named else "",
            f": met by {_by(clause['grounds'])}" if clause["is_met"] else ": not met",
        )
    if standing["write_grounds"]:
        line(f"  {_writing(standing)} by {_by(standing['write_grounds'])}{_condition(standing)}")
    for obstacle in standing["obstacles"]:
        line(f"  to {obstacle['action']}: {obstacle['detail']}")


def _verdict(told: Json) -> str:
    if told["can_write"]:
        return "can read and write"
    return "can read, but not write," if told["can_read"] else "can neither read nor write"


def _writing(standing: Json) -> str:
    return "writes" if standing["can_write"] else "would write"


def _condition(standing: Json) -> str:
    if standing["can_write"]:
        return ""
    return ", but for what is said below" if standing["can_read"] else ", once it can read it"


def _by(grounds: Sequence[Json]) -> str:
    return ", ".join(dict.fromkeys(_ground(ground) for ground in grounds))


def _ground(ground: Json) -> str:
    to = f" to team {ground['team_name'] or ground['team_id']}" if ground["team_id"] else ""
    if ground["kind"] != "grant":
        return f"team {ground['team_name'] or ground['team_id']}" if to else str(ground["kind"])
    giver = f" by {ground['granted_by_name']}" if ground["granted_by_name"] else ""
    return f"grant at {ground['path']}{to}{giver} on {str(ground['granted_at'])[:10]}"
