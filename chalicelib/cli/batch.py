"""Does one thing to several items or uploads, to the end, and reports what was done and what was not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chalicelib.cli.client import Json
from chalicelib.cli.errors import INCOMPLETE, ends_all, exit_code_of_all, problem_name_of
from chalicelib.cli.session import Session
from chalicelib.errors import LorebaseError


@dataclass
class Batch:
    """What was done and what failed, each with `id` and `path`; `end` is what made the rest pointless."""

    done: list[Json] = field(default_factory=list)
    failed: list[Json] = field(default_factory=list)
    errors: list[LorebaseError] = field(default_factory=list)
    end: LorebaseError | None = None


def try_each(things: Sequence[Json], do: Callable[[Json], object]) -> Batch:
    """Do it to each thing (with `id` and `path`)."""
    batch = Batch()
    for thing in things:
        named = {"id": thing["id"], "path": thing["path"]}
        try:
            if batch.end is not None:
                raise batch.end
            do(thing)
        except LorebaseError as error:
            batch.end = error if ends_all(error) else batch.end
            batch.errors.append(error)
            batch.failed.append({**named, "reason": problem_name_of(error), "detail": error.detail})
        else:
            batch.done.append(named)
    return batch


def report(session: Session, batch: Batch, *, done: str, said: str | None = None) -> int:
    """Print what was `done` (in other words for people: `said`) and what failed; return the exit code.

    Raises what made the rest pointless: it is said once, by whoever catches that.
    """
    printer, end = session.printer, batch.end
    printer.json({done: batch.done, "failed": batch.failed})
    for thing in batch.done:
        note = f": {thing['note']}" if thing.get("note") else ""
        printer.line(f"{said or done}  {thing['path']}{note}")
    for thing in batch.failed:
        if end is None or thing["detail"] != end.detail:
            printer.line(f"failed  {thing['path']}: {thing['detail']}")
    if end is not None:
        raise end
    code = exit_code_of_all(batch.errors, is_any_done=bool(batch.done))
    return code or (INCOMPLETE if batch.failed else code)
