"""Does one thing to many, some at a time, and stops at once when it is interrupted."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from chalicelib.errors import LorebaseError

_Subject = TypeVar("_Subject")
_Result = TypeVar("_Result")


def each_in_parallel(
    do: Callable[[_Subject], _Result], subjects: Iterable[_Subject], *, jobs: int
) -> Iterator[tuple[_Subject, _Result | LorebaseError | OSError]]:
    """Yield each subject with what `do` returned for it, or raised, as they are done."""
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        subjects_by_future = {pool.submit(_caught, do, subject): subject for subject in subjects}
        for future in as_completed(subjects_by_future):
            yield subjects_by_future[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _caught(do: Callable[[_Subject], _Result], subject: _Subject) -> _Result | LorebaseError | OSError:
    try:
        return do(subject)
    except (LorebaseError, OSError) as error:
        return error
