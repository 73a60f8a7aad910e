"""`lorebase identity-providers`: issuers whose tokens the organization takes from its users."""

from collections.abc import Sequence
from typing import TextIO
from uuid import UUID

import click

from chalicelib.cli.named import Named
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.identity.model import KeyScope

_TERMS = (
    click.option("--audience", "audiences", multiple=True, metavar="TEXT", help="A client's id; repeatable."),
    click.option("--algorithm", "algorithms", multiple=True, metavar="NAME", help="By default RS256 and ES256."),
    click.option("--scope", "scopes", type=choice_of(KeyScope), multiple=True, help="By default all of them."),
    click.option("--link/--no-link", "links_by_email", default=None, help="Find users by their verified address."),
    click.option("--admit/--no-admit", "admits", default=None, help="Make members of those who are no users yet."),
    click.option("--domain", "email_domains", multiple=True, metavar="NAME", help="Admit from here alone; repeatable."),
    click.option("--email-claim", metavar="NAME", help="By default email."),
    click.option("--email-verified-claim", metavar="NAME", help="By default email_verified."),
    click.option("--name-claim", metavar="NAME", help="By default name."),
)


@click.group("identity-providers")
def command() -> None:
    """Say whose tokens are taken, and try a token."""


@command.command("list")
@connected
def list_providers(session: Session) -> None:
    """List the issuers that the organization trusts."""
    pages = session.client.pages(f"{session.organization_url}/identity-providers", "identity_providers")
    providers = [provider for page in pages for provider in page]
    session.printer.json({"identity_providers": providers})
    session.printer.table(
        ["ID", "NAME", "ISSUER", "AUDIENCES", "LINKS", "ADMITS", "DISABLED"],
        [
            [
                provider["id"],
                provider["name"],
                provider["issuer"],
                ", ".join(provider["audiences"]),
                "yes" if provider["links_by_email"] else "no",
                ", ".join(provider["email_domains"] or ["all"]) if provider["admits"] else "no",
                (provider["disabled_at"] or "")[:16],
            ]
            for provider in providers
        ],
    )


def _with_terms(function: "click.decorators.FC") -> "click.decorators.FC":
    for option in reversed(_TERMS):
        function = option(function)
    return function


@command.command("create")
@click.argument("issuer")
@click.option("--name", help="What to call it; by default as the issuer.")
@_with_terms
@connected
def create_provider(session: Session, *, issuer: str, name: str | None, **terms: object) -> None:
    """Trust an issuer; it is asked for its keys at once."""
    body = {"issuer": issuer, "name": name or issuer, "audiences": [], **_given(terms)}
    provider = session.client.post(f"{session.organization_url}/identity-providers", body)
    session.printer.json(provider)
    session.printer.line(f"trusted  {provider['issuer']}  {provider['id']}")


@command.command("change")
@click.argument("provider_id", type=click.UUID)
@click.option("--name", help="What to call it.")
@click.option("--any-domain", is_flag=True, help="Admit whatever the address.")
@click.option("--disable/--enable", "disabled", default=None, help="Take its tokens no more, or again.")
@_with_terms
@connected
def change_provider(session: Session, *, provider_id: UUID, any_domain: bool, **terms: object) -> None:
    """Change on which terms an issuer's tokens are taken; what is not given stays."""
    body = {**_given(terms), **({"email_domains": None} if any_domain else {})}
    provider = session.client.patch(f"{session.organization_url}/identity-providers/{provider_id}", body)
    session.printer.json(provider)
    session.printer.line(f"changed  {provider['issuer']}")


@command.command("delete")
@click.argument("provider_id", type=click.UUID)
@connected
def delete_provider(session: Session, *, provider_id: UUID) -> None:
    """Trust an issuer no longer, at once; its users stay members."""
    session.client.delete(f"{session.organization_url}/identity-providers/{provider_id}")
    session.printer.json({"deleted": str(provider_id)})
    session.printer.line(f"deleted  {provider_id}")


@command.command("test")
@click.argument("provider_id", type=click.UUID)
@click.argument("token_file", type=click.File("r"), default="-")
@connected
def try_token(session: Session, *, provider_id: UUID, token_file: TextIO) -> int | None:
    """Tell what would become of a token, read from a file or standard input; nothing is changed."""
    token = token_file.read(20_000).strip()
    url = f"{session.organization_url}/identity-providers/{provider_id}/token-test"
    verdict = session.client.post(url, {"token": token})
    session.printer.json(verdict)
    if not verdict["accepted"]:
        session.printer.line(f"refused  {verdict['reason']}")
        return 1
    whom = f"member {verdict['member_id']}" if verdict["member_id"] else "a new member"
    known = {None: "known already", "email": "known by its address from then on", "admission": "admitted"}
    session.printer.line(f"taken  {verdict['subject']} is {whom}, {known[verdict['known_by']]}")
    return None


@command.command("members")
@click.argument("provider_id", type=click.UUID)
@connected
def list_members(session: Session, *, provider_id: UUID) -> None:
    """List which members an issuer's subjects are."""
    pages = session.client.pages(f"{session.organization_url}/identity-providers/{provider_id}/members", "members")
    members = [member for page in pages for member in page]
    session.printer.json({"members": members})
    session.printer.table(
        ["MEMBER", "SUBJECT", "KNOWN BY", "SINCE", "LAST USED"],
        [
            [
                member["member_id"],
                member["subject"],
                member["known_by"],
                member["created_at"][:16],
                (member["last_used_at"] or "")[:16],
            ]
            for member in members
        ],
    )


@command.command("forget")
@click.argument("provider_id", type=click.UUID)
@click.argument("member", metavar="MEMBER")
@connected
def forget_member(session: Session, *, provider_id: UUID, member: str) -> None:
    """Forget which subject a member is, so that the next token tells anew."""
    member_id = Named(session).member_id_of(member)
    session.client.delete(f"{session.organization_url}/identity-providers/{provider_id}/members/{member_id}")
    session.printer.json({"forgotten": member_id})
    session.printer.line(f"forgotten  {member}")


def _given(terms: dict[str, object]) -> dict[str, object]:
    """Return the options that were given, lists as lists."""
    named = {
        name: list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in terms.items()
    }
    return {name: value for name, value in named.items() if value is not None and value != []}
