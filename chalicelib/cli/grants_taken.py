"""`lorebase revoke`: takes grants on an item or a folder away."""

from collections.abc import Sequence

import click

from chalicelib.cli.access_subjects import find_subject
from chalicelib.cli.client import Json
from chalicelib.cli.errors import GrantMissing
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import harmless


@click.command("revoke")
@click.argument("reference", metavar="PATH|ID")
@click.argument("wanted", metavar="WHO|GRANT_ID...", nargs=-1, required=True)
@connected
def command(session: Session, *, reference: str, wanted: Sequence[str]) -> None:
    """Take grants away, by grantee (team:NAME, member:NAME) or by the grant's id; they end at once."""
    subject = find_subject(session, reference)
    named = Named(session)
    pages = [] if subject.url is None else session.client.pages(f"{subject.url}/grants", "grants")
    grants = [grant for page in pages for grant in page]
    # All are found before the first is taken.
    taken = [grant_to(named, grants, grantee) for grantee in wanted]
    for grant in taken:
        session.client.delete(f"{subject.url}/grants/{grant['id']}")
        session.printer.line(f"revoked  {grant['action']} on {subject.path}  {grant['id']}")
    session.printer.json({"path": subject.path, "revoked": [grant["id"] for grant in taken]})


def grant_to(named: Named, grants: Sequence[Json], wanted: str) -> Json:
    """Return the grant that a grantee or an id means. Raises GrantMissing and what Named.ids_of raises."""
    ids = named.ids_of(wanted) if ":" in wanted else None
    for grant in grants:
        if wanted == grant["id"] or ids == (grant["team_id"], grant["member_id"]):
            return grant
    raise GrantMissing(f"There is no grant {harmless(wanted)} there; `lorebase grants` shows which there are.")
