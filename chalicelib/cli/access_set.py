"""`lorebase access set`: changes what was asked for, and leaves the rest as it was said."""

from collections.abc import Sequence

import click

from chalicelib.cli.access_subjects import AccessSubject, find_subject
from chalicelib.cli.client import Json
from chalicelib.cli.named import Named
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.text import harmless

_KINDS = {"workspace": "workspace", "organization": "organization", "only-me": "only_me"}


@click.command("set")
@click.argument("reference", metavar="PATH|ID")
@click.option(
    "--audience",
    "audiences",
    metavar="WHO",
    multiple=True,
    help="workspace, organization, only-me, or team:NAME or member:NAME, which may be repeated.",
)
@click.option("--no-audience", is_flag=True, help="Say no audience here: that of the folder above holds.")
@click.option("--restrict/--open", "restrict", default=None, help="Leave owners, who made it, and grants; or no more.")
@click.option("--inherit/--no-inherit", "inherit", default=None, help="Whether what is said further up holds here.")
@click.option("--environment", metavar="SLUG", help="For agents of which environment; `default` is one.")
@click.option("--no-environment", is_flag=True, help="Say no environment here: that of the folder above holds.")
@click.option("--new", "is_new", is_flag=True, help="Speak of a folder in which nothing lies yet.")
@connected
def set_access(
    session: Session,
    *,
    reference: str,
    audiences: Sequence[str],
    no_audience: bool,
    restrict: bool | None,
    inherit: bool | None,
    environment: str | None,
    no_environment: bool,
    is_new: bool,
) -> None:
    """Say who may read an item or what lies in a folder; what is not named stays as it is."""
    if (audiences and no_audience) or (environment and no_environment):
        raise click.UsageError("An option and its opposite cannot be said together.")
    changes: Json = {}
    if audiences or no_audience:
        changes["audience"] = _audience(session, audiences) if audiences else None
    if environment or no_environment:
        changes["environment"] = Named(session).environment_of(environment) if environment else None
    changes |= {} if restrict is None else {"is_restricted": restrict}
    changes |= {} if inherit is None else {"inherits": inherit}
    if not changes:
        raise click.UsageError("Say what to change; `lorebase access show` shows what is said.")
    subject = find_subject(session, reference, names_folder=True, is_new=is_new)
    said = session.client.put(
        f"{subject.url}/access", {**_body(session.client.get(f"{subject.url}/access")), **changes}
    )
    session.printer.json({"path": subject.path, "is_folder": subject.is_folder, **said})
    if not session.printer.wants_json:
        told_access(session, subject, said)


def told_access(session: Session, subject: AccessSubject, said: Json) -> None:
    """Tell people what is said about an item or a folder."""
    line = session.printer.line
    line(f"path         {subject.path}{'/' if subject.is_folder else ''}")
    line(f"audience     {told_audience(session, said['audience'])}")
    line(f"inherits     {'yes' if said['inherits'] else 'no: nothing said further up holds'}")
    line(f"restricted   {'yes: owners, who made it, and grants' if said['is_restricted'] else 'no'}")
    line(f"environment  {said['environment'] or 'that of the folder above'}")


def told_audience(session: Session, audience: Json | None) -> str:
    """Return an audience for people."""
    if audience is None:
        return "that of the folder above"
    if audience["kind"] not in {"teams", "named"}:
        return str(audience["kind"]).replace("_", "-")
    named = Named(session)
    teams = [named.name_of(team_id, None) for team_id in audience["team_ids"]]
    return ", ".join([*teams, *(named.name_of(None, member_id) for member_id in audience["member_ids"])])


def _body(said: Json) -> Json:
    """Return what is said in the form that is said again: only-me names its one reader by itself."""
    audience = said["audience"]
    if audience is None:
        return said
    named = {"teams": "team_ids", "named": "member_ids"}.get(audience["kind"])
    return {**said, "audience": {"kind": audience["kind"], **({named: audience[named]} if named else {})}}


def _audience(session: Session, audiences: Sequence[str]) -> Json:
    if len(audiences) == 1 and audiences[0] in _KINDS:
        return {"kind": _KINDS[audiences[0]]}
    for said in audiences:
        if said in _KINDS:
            raise click.UsageError(f"{said} stands alone; only team:NAME and member:NAME may be repeated.")
        if ":" not in said:
            raise click.UsageError(
                f"{harmless(said)} is no audience; say workspace, organization, only-me, team:NAME or member:NAME."
            )
    named = Named(session)
    ids = [named.ids_of(said) for said in audiences]
    teams = [team_id for team_id, _ in ids if team_id]
    members = [member_id for _, member_id in ids if member_id]
    if teams and members:
        raise click.UsageError("An audience names teams or members. Grant the others what they need.")
    return {"kind": "teams", "team_ids": teams} if teams else {"kind": "named", "member_ids": members}
