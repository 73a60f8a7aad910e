"""`lorebase upload`: files and folders into a workspace."""

import os
from collections.abc import Sequence

import click

from chalicelib.cli.errors import NothingToUpload
from chalicelib.cli.local_files import Found, LeftOut, find_files
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.printing import Printer
from chalicelib.cli.session import Session
from chalicelib.cli.text import count_of
from chalicelib.cli.upload_files import UploadRun
from chalicelib.cli.upload_report import Outcome, UploadReport
from chalicelib.cli.waiting import Patience
from chalicelib.errors import LorebaseError
from chalicelib.items.errors import InvalidPath
from chalicelib.items.model import ItemClass, ItemScope, ItemStatus
from chalicelib.items.paths import checked_folder

_SHOWN = 50


@click.command("upload")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--to", metavar="FOLDER", default="", help="The folder that everything goes beneath.")
@click.option("--class", "item_class", type=choice_of(ItemClass), help="What the items are for.")
@click.option("--scope", type=choice_of(ItemScope), help="How the items reach agents.")
@click.option("--status", type=choice_of(ItemStatus), help="The items' status.")
@click.option("--language", metavar="CODE", help="The documents' language; by default found out.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag for the items; repeatable.")
@click.option("--wait/--no-wait", default=True, show_default=True, help="Whether to wait until all is searchable.")
@click.option("--timeout", metavar="SECONDS", type=click.FloatRange(min=0), help="How long to wait at most.")
@click.option("--jobs", type=click.IntRange(1, 32), default=4, show_default=True, help="How many requests at a time.")
@connected
def command(
    session: Session,
    *,
    paths: Sequence[str],
    to: str,
    wait: bool,
    timeout: float | None,
    jobs: int,
    **attributes: object,
) -> int:
    """Upload files and folders.

    A folder keeps its tree beneath its own name: `upload docs` makes docs/…; `upload docs/`, with the slash,
    puts its contents at the root, or beneath the folder given by --to. Hidden files, the folders of version
    control, links that lead out and what .lorebaseignore names (in the manner of .gitignore) are left out.
    Uploading again sends only what changed; a file renamed since has its item moved.
    """
    found = find_files(paths, to=_checked_target(to))
    if not found.files and not found.unreadable:
        raise NothingToUpload(_nothing_in(paths, found))
    session.say_workspace()
    with session.printer.progress() as stages:
        run = UploadRun(
            client=session.client,
            workspace_url=session.workspace_url,
            attributes=_given(attributes),
            jobs=jobs,
            patience=Patience(timeout) if wait else None,
            stages=stages,
        )
        run.take_in(found)
    session.printer.json(run.report.document())
    _show(session.printer, run.report, end=run.end)
    if run.end is not None:
        raise run.end
    return run.exit_code


def _checked_target(to: str) -> str:
    try:
        return checked_folder(to.replace(os.sep, "/"))
    except InvalidPath as error:
        raise click.BadParameter(error.detail, param_hint="--to") from error


def _given(attributes: dict[str, object]) -> dict[str, object]:
    renamed = {"class": attributes.pop("item_class"), **attributes}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in renamed.items() if value}


def _nothing_in(paths: Sequence[str], found: Found) -> str:
    where = ", ".join(paths)
    if not found.left_out:
        return f"There are no files in {where}."
    counts = {reason: sum(1 for _, given in found.left_out if given is reason) for reason in LeftOut}
    why = ", ".join(f"{count} {reason}" for reason, count in counts.items() if count)
    return f"There is nothing to upload in {where}: all of it is left out ({why})."


def _show(printer: Printer, report: UploadReport, *, end: LorebaseError | None) -> None:
    """Print what people should know; what failed by the `end` of all is said once, by whoever catches that."""
    for outcome in (Outcome.REFUSED, Outcome.FAILED):
        entries = report.document()["items"][outcome]
        if end is not None:
            entries = [entry for entry in entries if entry["detail"] != end.detail]
        for entry in entries[:_SHOWN]:
            printer.line(f"{outcome}  {entry['path']}: {entry['detail']}")
        if len(entries) > _SHOWN:
            printer.line(f"… and {len(entries) - _SHOWN} more {outcome}; --json names all.")
    _show_notes(printer, report)
    for detail, count in report.waits.items():
        printer.line(f"waits  {count_of(count, 'file')}, found by words until vectors come: {detail}")
    printer.line(", ".join(f"{count} {outcome}" for outcome, count in report.counts.items()))


def _show_notes(printer: Printer, report: UploadReport) -> None:
    for outcome in (Outcome.ADDED, Outcome.UPDATED):
        for entry in report.document()["items"][outcome]:
            if "moved_from" in entry:
                printer.line(f"moved  {entry['moved_from']} → {entry['path']}")
            elif entry["path"] in report.stayed:
                printer.remark(f"note  {entry['path']}: {entry['note']}")
            elif "note" in entry:
                printer.line(f"note  {entry['path']}: {entry['note']}")
