"""Does one thing to several items or uploads, to the end, and reports what was done and what was not."""

from collections.abc import Callable, Sequence

from chalicelib.cli.client import Json
from chalicelib.cli.errors import INCOMPLETE, OK, ServerUnreachable, problem_name_of
from chalicelib.cli.session import Session
from chalicelib.errors import LorebaseError


def do_each(session: Session, done: str, things: Sequence[Json], do: Callable[[Json], object]) -> int:
    """Do it to each thing (with `id` and `path`), print what was `done` and what failed; return the exit code."""
    finished: list[Json] = []
    failed: list[Json] = []
    for thing in things:
        named = {"id": thing["id"], "path": thing["path"]}
        try:
            do(thing)
        except ServerUnreachable:
            raise
        except LorebaseError as error:
            failed.append({**named, "reason": problem_name_of(error), "detail": error.detail})
        else:
            finished.append(named)
    session.printer.json({done: finished, "failed": failed})
    for thing in finished:
        session.printer.line(f"{done}  {thing['path']}")
    for thing in failed:
        session.printer.line(f"failed  {thing['path']}: {thing['detail']}")
    return INCOMPLETE if failed else OK
