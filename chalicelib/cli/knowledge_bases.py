"""`lorebase knowledge-bases`: named selections of folders and items that searches look in."""

from collections.abc import Sequence

import click

from chalicelib.cli.client import Json
from chalicelib.cli.knowledge_base_access import (
    assign_knowledge_base,
    grant_knowledge_base,
    list_grants,
    revoke_grant,
    unassign_knowledge_base,
)
from chalicelib.cli.knowledge_base_references import all_of, members_of, url_of
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import count_of
from chalicelib.items.model import ItemClass

_VISIBILITIES = click.Choice(["private", "workspace", "organization"])
_MODES = click.Choice(["hybrid", "semantic", "lexical"])


@click.group("knowledge-bases")
def command() -> None:
    """List, make, fill and share knowledge bases."""


for subcommand in (assign_knowledge_base, unassign_knowledge_base, grant_knowledge_base, list_grants, revoke_grant):
    command.add_command(subcommand)


@command.command("list")
@connected
def list_knowledge_bases(session: Session) -> None:
    """List the knowledge bases that you see."""
    found = all_of(session)
    session.printer.json({"knowledge_bases": found})
    session.printer.table(
        ["ID", "NAME", "VISIBILITY"], [[each["id"], each["name"], each["visibility"]] for each in found]
    )


@command.command("create")
@click.argument("name")
@click.option("--description", default="", help="What it is for.")
@click.option("--visibility", type=_VISIBILITIES, default="private", show_default=True, help="Who sees it.")
@click.option("--mode", type=_MODES, help="How it is searched where a question does not say.")
@click.option("--limit", type=click.IntRange(1, 100), help="How many hits where a question does not say.")
@click.option("--rerank/--no-rerank", default=None, help="Whether a model judges hits where a question does not say.")
@click.option("--expand/--no-expand", default=None, help="Whether a model words it anew where a question does not say.")
@click.option("--class", "classes", type=choice_of(ItemClass), multiple=True, help="Only this class by default.")
@click.option("--language", "languages", metavar="CODE", multiple=True, help="Only this language by default.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Only with this tag by default.")
@connected
def create_knowledge_base(
    session: Session,
    *,
    name: str,
    description: str,
    visibility: str,
    mode: str | None,
    limit: int | None,
    rerank: bool | None,
    expand: bool | None,
    **filters: Sequence[str],
) -> None:
    """Make a knowledge base, with nothing in it yet."""
    named = {"class": filters["classes"], "language": filters["languages"], "tags": filters["tags"]}
    said = {"mode": mode, "limit": limit, "rerank": rerank, "expand": expand}
    settings = {**said, "filters": {key: list(values) for key, values in named.items()}}
    body = {"name": name, "description": description, "visibility": visibility, "settings": settings}
    made = session.client.post(f"{session.workspace_url}/knowledge-bases", body)
    session.printer.json(made)
    session.printer.line(f"created  {made['name']}  {made['id']}")


@command.command("show")
@click.argument("reference", metavar="NAME|ID")
@connected
def show_knowledge_base(session: Session, *, reference: str) -> None:
    """Show a knowledge base and what in it you may read."""
    url = url_of(session, reference)
    found = session.client.get(url)
    members = [member for page in session.client.pages(f"{url}/members", "members") for member in page]
    session.printer.json({**found, "members": members})
    session.printer.line(f"{found['name']}  {found['visibility']}  {count_of(found['items'], 'item')}")
    if found["description"]:
        session.printer.line(found["description"])
    session.printer.table(
        ["KIND", "PATH", "ITEMS"], [[each["kind"], each["path"], str(each["items"])] for each in members]
    )


@command.command("change")
@click.argument("reference", metavar="NAME|ID")
@click.option("--name", help="Another name.")
@click.option("--description", help="What it is for.")
@click.option("--visibility", type=_VISIBILITIES, help="Who sees it.")
@connected
def change_knowledge_base(session: Session, *, reference: str, **changes: str | None) -> None:
    """Change what a knowledge base is called and who sees it."""
    said: Json = {name: value for name, value in changes.items() if value is not None}
    if not said:
        raise click.UsageError("Say what to change: --name, --description or --visibility.")
    changed = session.client.patch(url_of(session, reference), said)
    session.printer.json(changed)
    session.printer.line(f"changed  {changed['name']}  {changed['id']}")


@command.command("delete")
@click.argument("reference", metavar="NAME|ID")
@connected
def delete_knowledge_base(session: Session, *, reference: str) -> None:
    """Delete a knowledge base; what is in it stays where it is."""
    url = url_of(session, reference)
    session.client.delete(url)
    session.printer.json({"deleted": url.rpartition("/")[2]})
    session.printer.line(f"deleted  {reference}")


@command.command("add")
@click.argument("reference", metavar="NAME|ID")
@click.argument("members", metavar="PATH|ID…", nargs=-1, required=True)
@connected
def add_members(session: Session, *, reference: str, members: Sequence[str]) -> None:
    """Put items and folders into a knowledge base."""
    _change_members(session, reference, {"add": members_of(session, members)})


@command.command("remove")
@click.argument("reference", metavar="NAME|ID")
@click.argument("members", metavar="PATH|ID…", nargs=-1, required=True)
@connected
def remove_members(session: Session, *, reference: str, members: Sequence[str]) -> None:
    """Take items and folders out of a knowledge base."""
    _change_members(session, reference, {"remove": members_of(session, members)})


def _change_members(session: Session, reference: str, changes: Json) -> None:
    changed = session.client.patch(f"{url_of(session, reference)}/members", changes)
    session.printer.json(changed)
    session.printer.line(f"changed  {changed['name']}  {count_of(changed['items'], 'item')}")
