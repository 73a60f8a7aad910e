"""Does one thing to several items or uploads, to the end, and reports what was done and what was not."""

from collections.abc import Callable, Sequence

from chalicelib.cli.client import Json
from chalicelib.cli.errors import ends_all, exit_code_of_all, problem_name_of
from chalicelib.cli.session import Session
from chalicelib.errors import LorebaseError


def do_each(session: Session, done: str, things: Sequence[Json], do: Callable[[Json], object]) -> int:
    """Do it to each thing (with `id` and `path`), print what was `done` and what failed; return the exit code.

    Raises what makes the rest pointless, after the report.
    """
    finished: list[Json] = []
    failed: list[Json] = []
    errors: list[LorebaseError] = []
    end: LorebaseError | None = None
    for thing in things:
        named = {"id": thing["id"], "path": thing["path"]}
        try:
            if end is not None:
                raise end
            do(thing)
        except LorebaseError as error:
            end = error if ends_all(error) else end
            errors.append(error)
            failed.append({**named, "reason": problem_name_of(error), "detail": error.detail})
        else:
            finished.append(named)
    session.printer.json({done: finished, "failed": failed})
    for thing in finished:
        session.printer.line(f"{done}  {thing['path']}")
    for thing, why in zip(failed, errors, strict=True):
        if why is not end:
            session.printer.line(f"failed  {thing['path']}: {thing['detail']}")
    if end is not None:
        raise end
    return exit_code_of_all(errors, is_any_done=bool(finished))
