"""`lorebase knowledge-bases assign`, `grant` and their like: who else sees one, or changes what is in it."""

import click

from chalicelib.cli.grants_taken import grant_to
from chalicelib.cli.knowledge_base_references import url_of
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.command("assign")
@click.argument("reference", metavar="NAME|ID")
@click.argument("agent", metavar="AGENT")
@connected
def assign_knowledge_base(session: Session, *, reference: str, agent: str) -> None:
    """Assign a knowledge base to an agent."""
    agent_id = Named(session).member_id_of(agent, kind="agent")
    session.client.put(f"{url_of(session, reference)}/agents/{agent_id}")
    session.printer.json({"assigned": agent_id})
    session.printer.line(f"assigned  {reference} to {agent}")


@click.command("unassign")
@click.argument("reference", metavar="NAME|ID")
@click.argument("agent", metavar="AGENT")
@connected
def unassign_knowledge_base(session: Session, *, reference: str, agent: str) -> None:
    """Assign a knowledge base to an agent no longer."""
    agent_id = Named(session).member_id_of(agent, kind="agent")
    session.client.delete(f"{url_of(session, reference)}/agents/{agent_id}")
    session.printer.json({"unassigned": agent_id})
    session.printer.line(f"unassigned  {reference} from {agent}")


@click.command("grant")
@click.argument("reference", metavar="NAME|ID")
@click.option("--to", "grantee", metavar="WHO", required=True, help="team:NAME or member:NAME.")
@click.option("--write/--read", "write", default=False, help="Writing changes what is in it; by default seeing alone.")
@connected
def grant_knowledge_base(session: Session, *, reference: str, grantee: str, write: bool) -> None:
    """Let a team or a member see and search a knowledge base, or change what is in it; for owners."""
    team_id, member_id = Named(session).ids_of(grantee)
    whom = {"team_id": team_id} if team_id else {"member_id": member_id}
    action = "write" if write else "read"
    grant = session.client.post(f"{url_of(session, reference)}/grants", {"action": action, **whom})
    session.printer.json(grant)
    session.printer.line(f"granted  {action} on {reference} to {grantee}  {grant['id']}")


@click.command("grants")
@click.argument("reference", metavar="NAME|ID")
@connected
def list_grants(session: Session, *, reference: str) -> None:
    """List the grants on a knowledge base; for owners."""
    pages = session.client.pages(f"{url_of(session, reference)}/grants", "grants")
    grants = [grant for page in pages for grant in page]
    session.printer.json({"grants": grants})
    named = Named(session)
    session.printer.table(
        ["ID", "ACTION", "TO"],
        [[each["id"], each["action"], named.name_of(each["team_id"], each["member_id"])] for each in grants],
    )


@click.command("revoke")
@click.argument("reference", metavar="NAME|ID")
@click.argument("wanted", metavar="WHO|GRANT_ID")
@connected
def revoke_grant(session: Session, *, reference: str, wanted: str) -> None:
    """Take a grant on a knowledge base away, by grantee (team:NAME, member:NAME) or by the grant's id; for owners."""
    url = f"{url_of(session, reference)}/grants"
    grant = grant_to(Named(session), [each for page in session.client.pages(url, "grants") for each in page], wanted)
    session.client.delete(f"{url}/{grant['id']}")
    session.printer.json({"revoked": grant["id"]})
    session.printer.line(f"revoked  {wanted}")
