"""Has vectors brought to what waits for them, once an embedder is offered that was not before."""

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import fills_store, store
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.errors import EmbeddingSpaceUnknown
from chalicelib.embedding_spaces.promise_fill import promise_fill
from chalicelib.embedding_spaces.settle_choice import settle_choice
from chalicelib.jobs.queue import JobQueue


def fill_what_waits(tx: Transaction, *, embedders: Embedders, jobs: JobQueue, limit: int = 100) -> int:
    """Promise what is owed and promised to nobody; return how much that was. Idempotent.

    Organizations that have gone by words alone are given the default space; fills that stopped when their embedder
    was withdrawn go on; and items that were indexed without it get their vectors.
    """
    if not embedders:
        return 0
    spaces = list(embedders.by_space)
    undecided = store.list_undecided(tx, limit=limit)
    for organization_id in undecided:
        settle_choice(tx, organization_id, embedders=embedders, jobs=jobs)
    stopped = fills_store.list_stopped_fills(
        tx, spaces=spaces, problem_type=EmbeddingSpaceUnknown.problem_type(), limit=limit
    )
    waiting = store.list_waiting(tx, spaces=spaces, limit=limit)
    for workspace_id, space in {*stopped, *waiting}:
        promise_fill(tx, workspace_id, space, jobs=jobs)
    return len(undecided) + len({*stopped, *waiting})
