"""`lorebase reindex`: indexes again what another analysis, chunker or chunk size made."""

import click

from chalicelib.cli.client import Json
from chalicelib.cli.errors import INCOMPLETE
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.waiting import Patience

_PAUSE_SECONDS = 1.0


@click.command("reindex")
@click.option("--no-wait", is_flag=True, help="Return once it is promised.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="How long to wait at most.")
@connected
def command(session: Session, *, no_wait: bool, timeout: float | None) -> int | None:
    """Index again what the server would index otherwise by now; searches see what is there until then.

    Chunks that come out the same are neither embedded nor written. For owners.
    """
    session.say_workspace()
    url = f"{session.workspace_url}/reindexing"
    reindexing = session.client.post(url)
    total = reindexing["stale"]
    if not no_wait:
        reindexing = _await(session, url, reindexing, patience=Patience(timeout))
    printer = session.printer
    printer.json(reindexing)
    printer.line(f"indexed again  {total - reindexing['stale']} of {total} items")
    if reindexing["failed"]:
        printer.line(f"failed         {reindexing['failed']}: see `lorebase status`")
    return None if no_wait or not reindexing["stale"] else INCOMPLETE


def _await(session: Session, url: str, reindexing: Json, *, patience: Patience) -> Json:
    total = reindexing["stale"]
    with session.printer.progress() as stages:
        while reindexing["stale"] and reindexing["is_running"]:
            stages.show("indexing", done=max(0, total - reindexing["stale"]), total=total)
            if not patience.wait(_PAUSE_SECONDS):
                break
            reindexing = session.client.get(url)
    return reindexing
