"""`lorebase grant`: lets teams and members read or write an item or what lies in a folder."""

from collections.abc import Sequence

import click

from chalicelib.cli.access_subjects import find_subject
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.command("grant")
@click.argument("reference", metavar="PATH|ID")
@click.option("--to", "grantees", metavar="WHO", multiple=True, required=True, help="team:NAME or member:NAME.")
@click.option("--write/--read", "write", default=False, help="Writing includes reading; by default reading alone.")
@click.option("--new", "is_new", is_flag=True, help="Speak of a folder in which nothing lies yet.")
@connected
def command(session: Session, *, reference: str, grantees: Sequence[str], write: bool, is_new: bool) -> None:
    """Let teams and members read or write; another grant to the same takes the place of the first."""
    named = Named(session)
    ids = [named.ids_of(grantee) for grantee in grantees]
    subject = find_subject(session, reference, names_folder=True, is_new=is_new)
    grants = []
    for team_id, member_id in ids:
        whom = {"team_id": team_id} if team_id else {"member_id": member_id}
        grants.append(session.client.post(f"{subject.url}/grants", {"action": "write" if write else "read", **whom}))
    session.printer.json({"path": subject.path, "grants": grants})
    for grant in grants:
        whom_told = named.name_of(grant["team_id"], grant["member_id"])
        session.printer.line(f"granted  {grant['action']} on {subject.path} to {whom_told}  {grant['id']}")
