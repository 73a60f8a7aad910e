"""`lorebase jobs`: promised work."""

from itertools import islice
from uuid import UUID

import click

from chalicelib.cli.client import Json
from chalicelib.cli.options import choice_of, connected
from chalicelib.cli.session import Session
from chalicelib.jobs.model import JobState


@click.group("jobs")
def command() -> None:
    """See, cancel and redrive promised work."""


@command.command("list")
@click.option("--state", type=choice_of(JobState), multiple=True, help="Only in this state; repeatable.")
@click.option("--kind", metavar="KIND", help="Only of this kind.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many at most.")
@connected
def list_jobs(session: Session, *, state: tuple[str, ...], kind: str | None, limit: int) -> None:
    """List jobs, the newest first."""
    pages = session.client.pages(f"{session.workspace_url}/jobs", "jobs", state=state, kind=kind)
    jobs = list(islice((job for page in pages for job in page), limit))
    session.printer.json({"jobs": jobs})
    session.printer.table(
        ["ID", "KIND", "STATE", "ATTEMPTS", "PATH", "REASON"],
        [
            [*(str(job[name]) for name in ("id", "kind", "state", "attempts")), job["path"] or "", _reason_of(job)]
            for job in jobs
        ],
    )


def _reason_of(job: Json) -> str:
    return str((job["reason"] or {}).get("detail", ""))


@command.command("cancel")
@click.argument("job_id", type=click.UUID)
@connected
def cancel_job(session: Session, *, job_id: UUID) -> None:
    """Cancel a job that is not over."""
    _steer(session, job_id, "cancel")


@command.command("redrive")
@click.argument("job_id", type=click.UUID)
@connected
def redrive_job(session: Session, *, job_id: UUID) -> None:
    """Try a dead job again."""
    _steer(session, job_id, "redrive")


def _steer(session: Session, job_id: UUID, verb: str) -> None:
    job = session.client.post(f"{session.workspace_url}/jobs/{job_id}/{verb}")
    session.printer.json(job)
    session.printer.line(f"{job['kind']} {job['id']} is {job['state']}")
