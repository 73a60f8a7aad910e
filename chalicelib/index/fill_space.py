"""Embeds what a workspace has no vector for in a space, beside all other work: the handler of the job `fill_space`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from pydantic import JsonValue

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import fills_store
from chalicelib.embedding_spaces.errors import EmbeddingSpaceUnknown, FillStandsBack
from chalicelib.embedding_spaces.model import FILL_SPACE, FillState
from chalicelib.embedding_spaces.store import share_choice
from chalicelib.errors import LorebaseError, Unavailable
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import vectors_store
from chalicelib.index.fill_page import FillPage, SpaceGivenUp
from chalicelib.index.index_item import Indexer
from chalicelib.index.spaces import ensure_space
from chalicelib.index.vectors_store import FIRST, Place
from chalicelib.items.model import ItemId
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job
from chalicelib.jobs.problem import Problem
from chalicelib.platform.ports import Embedder, Ring
from chalicelib.usage.model import Purpose

_PAGE = 256
"""Chunks that are looked at together."""

_STANDS_BACK = timedelta(seconds=5)
"""How long a fill waits where as many others run as may."""

_LOOKS_AGAIN = timedelta(seconds=10)
_LONGEST_WAIT = timedelta(minutes=10)
"""How long it waits for items that others hold, or that are being indexed: twice as long each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """What it takes to fill. A worker is kept for `seconds` at a time, and `at_once` of them at most."""

    indexer: Indexer
    at_once: int = 1
    seconds: float = 20.0


@dataclass(slots=True)
class _Round:
    """How far a round through the workspace is: behind which item, and whether it came upon anything to do."""

    after: ItemId
    has_moved: bool
    is_counted: bool
    waited: float
    """Seconds that it waited last, for what others have in their hands."""
    sent: set[str]
    """Items that were indexed anew on behalf of this fill, once each."""

    @classmethod
    def of(cls, payload: Mapping[str, JsonValue]) -> "_Round":
        """Go on where the job before ended."""
        sent = payload.get("sent")
        return cls(
            after=ItemId(UUID(str(payload.get("after", FIRST)))),
            has_moved=payload.get("has_moved") is True,
            is_counted=payload.get("is_counted") is True,
            waited=float(str(payload.get("waited", 0.0))),
            sent={str(each) for each in sent} if isinstance(sent, list) else set(),
        )

    def payload(self) -> Mapping[str, JsonValue]:
        """Return what the next job goes on by."""
        return {
            "after": str(self.after),
            "has_moved": self.has_moved,
            "is_counted": self.is_counted,
            "waited": self.waited,
            "sent": [*sorted(self.sent)],
        }


def fill_space(job: LeasedJob, *, filler: Filler) -> None:
    """Fill for a while, then promise the rest, so that uploads and edits that came meanwhile go first.

    What was embedded is kept batch by batch, so that a crash costs one at most. It ends where nothing lacks a vector,
    or the space was given up. Where its embedder is no more offered it stops, and goes on once it is again; one that
    is out of reach makes the job come back. Raises EmbedderUnavailable, BudgetSpent, LeaseLost.
    """
    workspace_id, space = _subject(job.job)
    with job.fenced() as tx:
        choice = share_choice(tx, workspace_id)
        if space not in choice.written:
            return
        embedder = filler.indexer.embedders.find(space)
        if embedder is None:
            fills_store.end_fill(tx, workspace_id, space, state=FillState.STOPPED, problem=_not_offered(space))
            return
        earlier, is_busy = fills_store.look_around(tx, job_id=job.id, now=filler.indexer.jobs.clock.now())
    round_ = _Round.of(job.payload)
    if earlier >= filler.at_once:
        later = filler.indexer.jobs.clock.now() + _STANDS_BACK
        raise FillStandsBack("As many workspaces are filled as may be at once.", waits_until=later)
    purpose = Purpose.INDEX if space == choice.active else Purpose.CHANGE_OF_SPACE
    embedder = filler.indexer.metered(embedder, workspace_id, purpose)
    with filler.indexer.database.transaction() as tx:
        space_id = ensure_space(tx, name=space, dimensions=embedder.dimensions)
    place = Place(workspace_id, space, space_id)
    until = time.monotonic() + (0.0 if is_busy else filler.seconds)
    try:
        _go_on(job, filler, place, embedder=embedder, round_=round_, until=until)
    except SpaceGivenUp:
        return
    except Unavailable as error:
        with job.fenced() as tx:
            fills_store.show_problem(tx, workspace_id, space, _shown(error))
        raise


def show_stopped(tx: Transaction, job: Job, problem: Problem) -> None:
    """Write where admins look why a fill came to nothing; starting the change again lets it go on."""
    workspace_id, space = _subject(job)
    reason: dict[str, JsonValue] = {"type": problem.type, "title": problem.title, "detail": problem.detail}
    fills_store.end_fill(tx, workspace_id, space, state=FillState.STOPPED, problem=reason)


def _subject(job: Job) -> tuple[WorkspaceId, str]:
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    return WorkspaceId(job.workspace_id), str(job.payload["space"])


def _go_on(job: LeasedJob, filler: Filler, place: Place, *, embedder: Embedder, round_: _Round, until: float) -> None:
    """Fill page by page until the time is up, a page at least."""
    with job.fenced() as tx:
        lacking = None if round_.is_counted else vectors_store.count_lacking(tx, place)
        fills_store.begin_fill(tx, place.workspace_id, place.space, lacking=lacking)
    round_.is_counted = True
    page = FillPage(job, filler.indexer, place, embedder, round_.sent)
    while True:
        with filler.indexer.database.transaction() as tx:
            chunks = vectors_store.list_lacking(tx, place, after=round_.after, limit=_PAGE)
        if chunks:
            settled = page.fill(chunks)
            last = chunks[-1].item_id
            if settled:
                round_.has_moved, round_.waited = True, 0.0
            # A page may end within an item: as long as that moves on, it comes again.
            round_.after = ItemId(UUID(int=last.int - 1)) if last in settled and len(chunks) == _PAGE else last
        elif _is_over(job, place):
            return
        elif round_.has_moved:
            round_.after, round_.has_moved = FIRST, False
        else:
            round_.after = FIRST
            wait = min(max(_LOOKS_AGAIN, timedelta(seconds=2 * round_.waited)), _LONGEST_WAIT)
            round_.waited = wait.total_seconds()
            _hand_on(job, filler, round_, after=wait)
            return
        if time.monotonic() >= until:
            _hand_on(job, filler, round_, after=timedelta(0))
            return


def _is_over(job: LeasedJob, place: Place) -> bool:
    """End the fill if nothing lacks a vector any more. Whoever promises more meanwhile waits, and begins it again."""
    with job.fenced() as tx:
        choice = share_choice(tx, place.workspace_id)
        fills_store.lock_fill(tx, place.workspace_id, place.space)
        if vectors_store.list_lacking(tx, place, after=FIRST, limit=1):
            return False
        fills_store.end_fill(tx, place.workspace_id, place.space, state=FillState.DONE)
        if choice.active == place.space:
            vectors_store.show_ready(tx, place)
    return True


def _hand_on(job: LeasedJob, filler: Filler, round_: _Round, *, after: timedelta) -> None:
    """Promise the rest, in the transaction that ends this job."""
    jobs = filler.indexer.jobs
    workspace_id, space = _subject(job.job)
    with job.finish() as tx:
        next_id = jobs.enqueue(
            tx,
            kind=FILL_SPACE,
            key=job.job.key,
            payload={"space": space, **round_.payload()},
            workspace_id=workspace_id,
            serial_key=job.job.serial_key,
            not_before=jobs.clock.now() + after if after else None,
            correlation_id=job.job.correlation_id,
        )
        if after:
            jobs.ring_after_commit(tx, Ring(next_id, FILL_SPACE, job.job.correlation_id, after=after))


def _not_offered(space: str) -> Mapping[str, JsonValue]:
    return _shown(EmbeddingSpaceUnknown(f"No embedder of {space} is offered here any more."))


def _shown(error: LorebaseError) -> Mapping[str, JsonValue]:
    return {"type": error.problem_type(), "title": error.title(), "detail": error.detail}
