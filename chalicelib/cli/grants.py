"""`lorebase grants`: the grants on an item or a folder."""

import click

from chalicelib.cli.access_subjects import find_subject
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.command("grants")
@click.argument("reference", metavar="PATH|ID")
@connected
def command(session: Session, *, reference: str) -> None:
    """List the grants on an item or a folder itself; for owners."""
    subject = find_subject(session, reference)
    pages = [] if subject.url is None else session.client.pages(f"{subject.url}/grants", "grants")
    grants = [grant for page in pages for grant in page]
    session.printer.json({"path": subject.path, "grants": grants})
    if session.printer.wants_json:
        return
    named = Named(session)
    session.printer.table(
        ["ID", "ACTION", "TO", "BY", "ON"],
        [
            [
                grant["id"],
                grant["action"],
                named.name_of(grant["team_id"], grant["member_id"]),
                named.name_of(None, grant["granted_by"]).removeprefix("member:"),
                grant["granted_at"][:10],
            ]
            for grant in grants
        ],
    )
    if not grants:
        session.printer.remark("Nothing is granted here itself.")
