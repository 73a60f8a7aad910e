"""Brings an item's present revision into search: the handler of the job `index_item`."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from tokenizers import Tokenizer

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import store
from chalicelib.index.language import language_of_document
from chalicelib.index.model import Passage, Source, Vectors
from chalicelib.index.passages import passages_of
from chalicelib.index.reweigh import reweigh_workspace
from chalicelib.index.statistics import find_statistics
from chalicelib.index.swap import swap_chunks
from chalicelib.index.vectors import vectors_of
from chalicelib.items.model import IndexState, ItemId
from chalicelib.items.quotas import Quotas
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job
from chalicelib.jobs.problem import Problem
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.ports import Embedder

UNUSABLE_VECTORS = "unusable_vectors"
"""The code of the warning on an item some of whose chunks can be found by their words alone."""

_PART = 512
"""Passages whose vectors are kept together: a minute or less of embedding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """What it takes to index. Without an embedder items are found by their words alone."""

    database: Database
    embedder: Embedder | None
    tokenizer: Tokenizer
    quotas: Quotas
    chunk_tokens: int = 512
    overlap_tokens: int = 64


def index_item(job: LeasedJob, *, indexer: Indexer) -> None:
    """Chunk, embed what has no vector yet, and swap the item's chunks in one transaction, with the job's end.

    What was deleted meanwhile is left alone. Where the embedder is out of reach, and while a large item is being
    embedded, the words are in search already. EmbedderUnavailable makes the job come back for the vectors.
    Raises QuotaExceeded, LeaseLost.
    """
    workspace_id, item_id = _subject(job.job)
    with job.fenced() as tx:
        source = store.find_source(tx, workspace_id, item_id)
        if source is None:
            return
        store.mark_indexing(tx, workspace_id, source)
        known = find_statistics(tx, workspace_id)
    passages = passages_of(
        workspace_id,
        source,
        language=language_of_document(
            f"{source.title}\n{source.body}",
            given=source.language,
            chunks_by_language=known.chunks_by_language,
        ),
        tokenizer=indexer.tokenizer,
        chunk_tokens=indexer.chunk_tokens,
        overlap_tokens=indexer.overlap_tokens,
    )
    vectors = _vectors(job, workspace_id, source, passages, indexer)
    with job.finish() as tx:
        _bring_in(tx, workspace_id, source, passages, vectors=vectors, quotas=indexer.quotas)
    reweigh_workspace(indexer.database, workspace_id)


def show_failure(tx: Transaction, job: Job, problem: Problem) -> None:
    """Write on the item why its job came to nothing; what was in search before stays there."""
    workspace_id, item_id = _subject(job)
    reason = {"type": problem.type, "title": problem.title, "detail": problem.detail}
    store.mark_failed(tx, workspace_id, item_id, reason=reason)


def _subject(job: Job) -> tuple[WorkspaceId, ItemId]:
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    return WorkspaceId(job.workspace_id), ItemId(UUID(str(job.payload["item_id"])))


def _vectors(
    job: LeasedJob, workspace_id: WorkspaceId, source: Source, passages: Sequence[Passage], indexer: Indexer
) -> Vectors | None:
    """Embed the passages; a large item's come in part by part, so that a later attempt goes on where one ended."""
    if indexer.embedder is None or not passages:
        return None
    vectors: Vectors | None = None
    for end in range(_PART, len(passages) + _PART, _PART):
        try:
            part = vectors_of(
                passages[end - _PART : end],
                database=indexer.database,
                workspace_id=workspace_id,
                embedder=indexer.embedder,
                before_each_batch=job.require_lease,
            )
        except EmbedderUnavailable:
            with job.fenced() as tx:
                _bring_in(tx, workspace_id, source, passages, vectors=vectors, quotas=indexer.quotas, is_whole=False)
            raise
        vectors = part if vectors is None else vectors.with_more(part)
        if end < len(passages):
            with job.fenced() as tx:
                _bring_in(tx, workspace_id, source, passages, vectors=vectors, quotas=indexer.quotas, is_whole=False)
    return vectors


def _bring_in(
    tx: Transaction,
    workspace_id: WorkspaceId,
    source: Source,
    passages: Sequence[Passage],
    *,
    vectors: Vectors | None,
    quotas: Quotas,
    is_whole: bool = True,
) -> None:
    """Swap unless the item is gone or a search sees a later revision already."""
    locked = store.lock_source(tx, workspace_id, source)
    if locked is None or locked[1] > locked[0].revision:
        return
    source = locked[0]
    state = IndexState.READY if vectors and is_whole else IndexState.TEXT_READY
    store.mark_indexed(
        tx,
        workspace_id,
        source,
        state=state if passages else IndexState.NO_TEXT,
        chunks=len(passages),
        language=passages[0].language if passages else None,
        warning_code=UNUSABLE_VECTORS,
        warnings=_warnings(vectors),
    )
    swap_chunks(tx, workspace_id, source, passages, vectors=vectors, quotas=quotas)


def _warnings(vectors: Vectors | None) -> list[dict[str, object]]:
    if vectors is None or not vectors.unusable:
        return []
    detail = "The embedder gave no usable vector for some passages; they are found by their words alone."
    return [{"code": UNUSABLE_VECTORS, "detail": detail, "count": len(vectors.unusable)}]
