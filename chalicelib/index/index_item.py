"""Brings an item's present revision into search: the handler of the job `index_item`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from tokenizers import Tokenizer

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.model import Choice
from chalicelib.embedding_spaces.promise_fill import promise_fill
from chalicelib.embedding_spaces.settle_choice import settle_choice_of_workspace
from chalicelib.embedding_spaces.store import share_choice
from chalicelib.errors import Unavailable
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import store
from chalicelib.index.contexts import context_of, promise_description
from chalicelib.index.language import language_of_document
from chalicelib.index.makes import makes_of
from chalicelib.index.model import Passage, Source, Statistics, Vectors
from chalicelib.index.passages import passages_of
from chalicelib.index.reweigh import reweigh_workspace
from chalicelib.index.spaces import SpaceMismatch
from chalicelib.index.statistics import find_statistics
from chalicelib.index.swap import swap_chunks
from chalicelib.index.vectors import vectors_of
from chalicelib.items.model import IndexState, ItemId
from chalicelib.items.quotas import Quotas
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job
from chalicelib.jobs.problem import Problem
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.ports import Embedder
from chalicelib.usage.metered import MeteredEmbedder
from chalicelib.usage.metering import Metering
from chalicelib.usage.model import Purpose

UNUSABLE_VECTORS = "unusable_vectors"
"""The code of the warning on an item some of whose chunks can be found by their words alone."""

_PART = 512
"""Passages whose vectors are kept together: a minute or less of embedding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """What it takes to index. Without embedders items are found by their words alone.

    `describes`: there is a language model that says what items are about, where their workspace wants that.
    """

    database: Database
    jobs: JobQueue
    tokenizer: Tokenizer
    quotas: Quotas
    embedders: Embedders = field(default_factory=Embedders)
    chunk_tokens: int = 512
    overlap_tokens: int = 64
    describes: bool = False
    metering: Metering | None = None

    def metered(self, embedder: Embedder, workspace_id: WorkspaceId, purpose: Purpose) -> Embedder:
        """Return an embedder whose tokens are counted for a workspace, and whose budget may be spent."""
        if self.metering is None:
            return embedder
        return MeteredEmbedder(embedder, self.metering.account(purpose, workspace_id=workspace_id))

    @property
    def makes(self) -> str:
        """What decides how a text becomes chunks and terms; it is kept with each item."""
        return makes_of(chunk_tokens=self.chunk_tokens, overlap_tokens=self.overlap_tokens)

    def passages_of(self, workspace_id: WorkspaceId, source: Source, known: Statistics) -> list[Passage]:
        """Return what of a source is to be in search."""
        return passages_of(
            workspace_id,
            source,
            language=language_of_document(
                f"{source.title}\n{source.body}",
                given=source.language,
                chunks_by_language=known.chunks_by_language,
            ),
            tokenizer=self.tokenizer,
            chunk_tokens=self.chunk_tokens,
            overlap_tokens=self.overlap_tokens,
            summary=source.summary,
        )


def index_item(job: LeasedJob, *, indexer: Indexer) -> None:
    """Chunk, embed what has no vector yet, and swap the item's chunks in one transaction, with the job's end.

    What was deleted meanwhile is left alone. Where the embedder is out of reach, and while a large item is being
    embedded, the words are in search already. EmbedderUnavailable and BudgetSpent make the job come back for the
    vectors. While another space is filled, or a former one kept, what is indexed has its vectors there as well.
    Raises QuotaExceeded, LeaseLost.
    """
    workspace_id, item_id = _subject(job.job)
    with job.fenced() as tx:
        source = store.find_source(tx, workspace_id, item_id)
        if source is None:
            return
        store.mark_indexing(tx, workspace_id, source)
        known = find_statistics(tx, workspace_id)
        choice = settle_choice_of_workspace(tx, workspace_id, embedders=indexer.embedders, jobs=indexer.jobs)
        is_to_be_described = indexer.describes and context_of(tx, workspace_id, source).is_due
    passages = indexer.passages_of(workspace_id, source, known)
    change = _Change(job, indexer, workspace_id, source, passages)
    vectors = change.embed(choice)
    with job.finish() as tx:
        change.bring_in(tx, vectors)
        if is_to_be_described:
            promise_description(tx, workspace_id, item_id, jobs=indexer.jobs)
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


@dataclass(frozen=True, slots=True)
class _Change:
    """One item on its way into search."""

    job: LeasedJob
    indexer: Indexer
    workspace_id: WorkspaceId
    source: Source
    passages: Sequence[Passage]

    def embed(self, choice: Choice) -> Mapping[str, Vectors]:
        """Return the passages' vectors by space, those of the active one first, as far as they are offered."""
        embedders = self.indexer.embedders
        active = embedders.active(choice)
        vectors: dict[str, Vectors] = {}
        if not self.passages:
            return vectors
        if active is not None:
            vectors[active.space] = self._embed_whole(active)
        for embedder in embedders.written(choice):
            beside = None if embedder is active else self._embed_beside(embedder)
            if beside is not None:
                vectors[embedder.space] = beside
        return vectors

    def _embed_whole(self, embedder: Embedder) -> Vectors:
        """Embed the passages; a large item's come in part by part, so that a later attempt goes on where one ended."""
        vectors: Vectors | None = None
        for end in range(_PART, len(self.passages) + _PART, _PART):
            try:
                part = self._vectors_of(self.passages[end - _PART : end], embedder)
            except Unavailable as error:
                self._bring_part_in(embedder, vectors, waits_for=error)
                raise
            vectors = part if vectors is None else vectors.with_more(part)
            if end < len(self.passages):
                self._bring_part_in(embedder, vectors)
        if vectors is None:
            raise LookupError("an item without passages has no vectors")
        return vectors

    def _embed_beside(self, embedder: Embedder) -> Vectors | None:
        """Embed for a space that nobody searches in yet, or any more; None leaves it to the fill of the space.

        Nobody waits for it: what is large, or cannot be had now, comes later.
        """
        if len(self.passages) > _PART:
            return None
        try:
            return self._vectors_of(self.passages, embedder)
        except (Unavailable, SpaceMismatch):
            return None

    def _vectors_of(self, passages: Sequence[Passage], embedder: Embedder) -> Vectors:
        return vectors_of(
            passages,
            database=self.indexer.database,
            workspace_id=self.workspace_id,
            embedder=self.indexer.metered(embedder, self.workspace_id, Purpose.INDEX),
            before_each_batch=self.job.require_lease,
        )

    def _bring_part_in(
        self, embedder: Embedder, vectors: Vectors | None, *, waits_for: Unavailable | None = None
    ) -> None:
        with self.job.fenced() as tx:
            self.bring_in(tx, {} if vectors is None else {embedder.space: vectors}, is_whole=False)
            if waits_for is not None and waits_for.waits_until is not None:
                reason = {"type": waits_for.problem_type(), "title": waits_for.title(), "detail": waits_for.detail}
                store.show_wait(tx, self.workspace_id, self.source.item_id, reason=reason)

    def bring_in(self, tx: Transaction, vectors: Mapping[str, Vectors], *, is_whole: bool = True) -> None:
        """Swap unless the item is gone or a search sees a later revision already.

        A space that was chosen since the work began, or was left to its fill, gets its vectors by that. So does one
        beside the active that gave some passages none: the fill counts them, and a swap looks at its count. One that
        was given up since gets none: its vectors may have been deleted by now.
        """
        locked = store.lock_source(tx, self.workspace_id, self.source)
        if locked is None or locked[1] > locked[0].revision:
            return
        choice = share_choice(tx, self.workspace_id)
        vectors = {space: each for space, each in vectors.items() if space in choice.written}
        active = None if choice.active is None else vectors.get(choice.active)
        state = IndexState.READY if active and is_whole else IndexState.TEXT_READY
        store.mark_indexed(
            tx,
            self.workspace_id,
            locked[0],
            state=state if self.passages else IndexState.NO_TEXT,
            chunks=len(self.passages),
            language=self.passages[0].language if self.passages else None,
            indexed_as=self.indexer.makes,
            warning_code=UNUSABLE_VECTORS,
            warnings=_warnings(active),
        )
        swap_chunks(
            tx,
            self.workspace_id,
            locked[0],
            self.passages,
            vectors=list(vectors.values()),
            quotas=self.indexer.quotas,
        )
        if is_whole and self.passages:
            for embedder in self.indexer.embedders.written(choice):
                beside = vectors.get(embedder.space)
                if beside is None or (beside.unusable and embedder.space != choice.active):
                    promise_fill(tx, self.workspace_id, embedder.space, jobs=self.indexer.jobs)


def _warnings(vectors: Vectors | None) -> list[dict[str, object]]:
    if vectors is None or not vectors.unusable:
        return []
    detail = "The embedder gave no usable vector for some passages; they are found by their words alone."
    return [{"code": UNUSABLE_VECTORS, "detail": detail, "count": len(vectors.unusable)}]
