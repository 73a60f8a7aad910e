"""What is said of documents: when it is due to be said, and how long it holds while a body changes."""

import hashlib
import re
from collections import Counter, deque
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import contexts_store
from chalicelib.index.model import Source
from chalicelib.items.model import ItemId
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.ports import Ring
from chalicelib.telemetry.correlation import current_correlation_id

DESCRIBE_ITEM = "describe_item"
"""The kind of the job that has a language model say what an item is about."""

SPREAD_CONTEXTS = "spread_contexts"
"""The kind of the job that brings a workspace's items to what it wants: described, or no longer so."""

MOST_CHANGED = 0.2
"""How much of a body may change before it is described anew; see `changed_share`."""

_RUN = 3
_COUNTED_CHARACTERS = 500_000
"""Of longer texts every second run is counted, of twice as long ones every third, by chance and the same of both."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Context:
    """What is indexed with an item's chunks (empty: nothing), and whether it is to be said, or said anew."""

    summary: str
    is_due: bool


def context_of(tx: Transaction, workspace_id: WorkspaceId, source: Source) -> Context:
    """Read what was said of an item. A summary holds while no more than a fifth of the body that it is of changed."""
    body_sha256 = sha256_of_body(source)
    kept = contexts_store.find_context(tx, workspace_id, source.item_id, body_sha256=body_sha256)
    if kept is None:
        return Context("", is_due=False)
    if kept.summary is None:
        return Context("", is_due=bool(source.body.strip()))
    if kept.body_sha256 == body_sha256:
        return Context(kept.summary, is_due=False)
    is_far = kept.described is None or changed_share(kept.described, source.body) > MOST_CHANGED
    return Context(kept.summary, is_due=is_far and bool(source.body.strip()))


def promise_description(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, jobs: JobQueue) -> None:
    """Promise that a language model is asked about an item. Apart from indexing, which never waits for it."""
    jobs.enqueue(
        tx,
        kind=DESCRIBE_ITEM,
        key=str(item_id),
        payload={"item_id": str(item_id)},
        workspace_id=workspace_id,
        serial_key=f"context:{item_id}",
    )


def promise_spreading(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    jobs: JobQueue,
    behind: ItemId | None = None,
    wait: timedelta = timedelta(0),
) -> None:
    """Promise that what was switched is spread over the workspace's items, or over those `behind` one."""
    job_id = jobs.enqueue(
        tx,
        kind=SPREAD_CONTEXTS,
        key=str(workspace_id),
        payload={} if behind is None else {"after": str(behind)},
        workspace_id=workspace_id,
        serial_key=f"contexts:{workspace_id}",
        not_before=jobs.clock.now() + wait if wait else None,
    )
    if wait:
        jobs.ring_after_commit(tx, Ring(job_id, SPREAD_CONTEXTS, current_correlation_id(), after=wait))


def changed_share(before: str, after: str) -> float:
    """Return the share of runs of three words that only one of two texts has: 0 where they are alike, 1 apart."""
    every = 1 + max(len(before), len(after)) // _COUNTED_CHARACTERS
    old, new = _runs(before, every), _runs(after, every)
    total = old.total() + new.total()
    return 1 - 2 * (old & new).total() / total if total else 0.0


def sha256_of_body(source: Source) -> bytes:
    """Return the key under which a body is kept."""
    return hashlib.sha256(source.body.encode()).digest()


def _runs(text: str, every: int) -> Counter[int]:
    """Count runs of words by their hashes, those that `every` divides."""
    counts: Counter[int] = Counter()
    run: deque[str] = deque(maxlen=_RUN)
    for word in _WORD.finditer(text.casefold()):
        run.append(word[0])
        if len(run) == _RUN and (number := hash(tuple(run))) % every == 0:
            counts[number] += 1
    if 0 < len(run) < _RUN:
        counts[hash(tuple(run))] += 1
    return counts
