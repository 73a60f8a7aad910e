"""`lorebase knowledge-bases assign`, `grant` and their like: who else sees one, or changes what is in it."""

from uuid import UUID

import click

from chalicelib.cli.knowledge_base_references import url_of
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session


@click.command("assign")
@click.argument("reference", metavar="NAME|ID")
@click.argument("agent_id", type=click.UUID)
@connected
def assign_knowledge_base(session: Session, *, reference: str, agent_id: UUID) -> None:
    """Assign a knowledge base to an agent."""
    session.client.put(f"{url_of(session, reference)}/agents/{agent_id}")
    session.printer.json({"assigned": str(agent_id)})
    session.printer.line(f"assigned  {reference} to {agent_id}")


@click.command("unassign")
@click.argument("reference", metavar="NAME|ID")
@click.argument("agent_id", type=click.UUID)
@connected
def unassign_knowledge_base(session: Session, *, reference: str, agent_id: UUID) -> None:
    """Assign a knowledge base to an agent no longer."""
    session.client.delete(f"{url_of(session, reference)}/agents/{agent_id}")
    session.printer.json({"unassigned": str(agent_id)})
    session.printer.line(f"unassigned  {reference} from {agent_id}")


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
@click.argument("grant_id", type=click.UUID)
@connected
def revoke_grant(session: Session, *, reference: str, grant_id: UUID) -> None:
    """Take a grant on a knowledge base away; for owners."""
    session.client.delete(f"{url_of(session, reference)}/grants/{grant_id}")
    session.printer.json({"revoked": str(grant_id)})
    session.printer.line(f"revoked  {grant_id}")
