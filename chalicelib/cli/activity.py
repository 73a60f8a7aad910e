"""`lorebase activity`: who did what, to read at the terminal or to take along."""

import sys
import tempfile
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from pathlib import Path
from uuid import UUID

import click

from chalicelib.audit.model import ActivityAction, Outcome
from chalicelib.cli.activity_details import detail_of
from chalicelib.cli.client import Json
from chalicelib.cli.named import Named
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session


class Moment(click.ParamType[str]):
    """A date or a time by ISO 8601; without a zone it is one of this machine's."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the time with its zone, as the API takes it."""
        try:
            moment = datetime.fromisoformat(str(value))
            return (moment if moment.tzinfo else moment.astimezone()).isoformat()
        except (ValueError, OverflowError, OSError):
            self.fail(f"{value!r} is no time like 2026-05-01 or 2026-05-01T09:30+02:00.", param, ctx)


@click.command("activity")
@click.option("--since", type=Moment(), help="From this moment on, e.g. 2026-05-01.")
@click.option("--until", type=Moment(), help="Before this moment.")
@click.option("--actor", metavar="MEMBER", help="Only of this user, agent or service.")
@click.option("--action", type=choice_of(ActivityAction), metavar="ACTION", help="Only this, e.g. item.deleted.")
@click.option("--subject", type=click.UUID, metavar="ID", help="Only about this item, upload, member, …")
@click.option("--outcome", type=choice_of(Outcome), help="Only what was done, or what was refused.")
@click.option("--organization", "of_organization", is_flag=True, help="All of the organization; for admins.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many at most.")
@click.option(
    "--export",
    "target",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    metavar="FILE",
    help="Write everything that fits into a file, as JSON Lines; - is stdout.",
)
@connected
def command(
    session: Session,
    *,
    actor: str | None,
    subject: UUID | None,
    of_organization: bool,
    limit: int,
    target: str | None,
    **filters: str | None,
) -> None:
    """Show who did what, the latest first."""
    path = f"{session.organization_url if of_organization else session.workspace_url}/activity"
    named = Named(session)
    asked = {**filters, "actor": named.member_id_of(actor) if actor else "", "subject": str(subject or "")}
    if target is not None:
        _export(session, session.client.lines(f"{path}/export", **asked), target)
        return
    pages = session.client.pages(path, "activity", **asked)
    entries = list(islice((entry for page in pages for entry in page), limit))
    session.printer.json({"activity": entries})
    session.printer.table(
        ["TIME", "WHO", "ON BEHALF OF", "WHAT", "OUTCOME", "SUBJECT", "DETAIL"],
        [] if session.printer.wants_json else [_row_of(entry, named) for entry in entries],
    )
    if not entries:
        session.printer.remark("Nothing here.")


def _export(session: Session, lines: Iterable[str], target: str) -> None:
    if target == "-":
        for line in lines:
            sys.stdout.write(f"{line}\n")
        return
    count = _write(lines, Path(target))
    session.printer.json({"exported": count, "file": target})
    session.printer.line(f"exported  {count} entries to {target}")


def _write(lines: Iterable[str], path: Path) -> int:
    """Write all of the lines or leave what is there; return how many they were."""
    count = 0
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            try:
                for line in lines:
                    file.write(f"{line}\n")
                    count += 1
            except BaseException:
                Path(file.name).unlink()
                raise
        Path(file.name).replace(path)
    except OSError as error:
        raise click.FileError(str(path), hint=error.strerror or str(error)) from error
    return count


def _row_of(entry: Json, named: Named) -> list[str]:
    actor, subject = entry["actor"], entry["subject"]
    when = str(entry["recorded_at"])[:19].replace("T", " ")
    who = actor["name"] if actor else "-"
    for_whom = named.person_of(actor["on_behalf_of"]) if actor else ""
    about = f"{subject['kind']} {subject['id'] or ''}".strip()
    return [when, who, for_whom, entry["action"], entry["outcome"], about, detail_of(entry, named)]
