"""Gives some chunks their vectors in a space, whoever works on their items meanwhile."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import fills_store
from chalicelib.embedding_spaces.store import share_choice
from chalicelib.index import store, vectors_store
from chalicelib.index.index_item import Indexer
from chalicelib.index.promise_indexing import promise_indexing
from chalicelib.index.statistics import find_statistics
from chalicelib.index.vectors import EmbeddedBatch, embed_texts
from chalicelib.index.vectors_store import LackingChunk, Place
from chalicelib.items.model import IndexState, ItemId
from chalicelib.jobs.lease import LeasedJob
from chalicelib.platform.ports import Embedder

if TYPE_CHECKING:
    from uuid import UUID

NOT_INDEXED = "not-indexed"
"""Why a chunk has no vector: its item's present state could not be indexed, and this is left of an earlier one."""

NOT_REPRODUCED = "text-not-reproduced"
"""Why a chunk has no vector: what was embedded of it cannot be told, though its item was indexed anew."""

_ON_THEIR_WAY = frozenset({IndexState.PENDING, IndexState.INDEXING})


class SpaceGivenUp(Exception):
    """The organization has the space no more."""


@dataclass(slots=True)
class FillPage:
    """What fills page after page. `sent` has the items that were indexed anew on behalf of the fill."""

    job: LeasedJob
    indexer: Indexer
    place: Place
    embedder: Embedder
    sent: set[str]
    _texts_of_last: tuple[ItemId, Mapping[bytes, str]] | None = field(default=None, init=False)

    def fill(self, chunks: Sequence[LackingChunk]) -> frozenset[ItemId]:
        """Embed what is not known yet and write it; return the items that got on.

        A chunk that another has changed, moved or deleted meanwhile is left to the next round. Raises SpaceGivenUp,
        EmbedderUnavailable, LeaseLost.
        """
        texts: dict[bytes, str] = {}
        strange: list[LackingChunk] = []
        for chunk in chunks:
            text = self._texts(chunk.item_id).get(chunk.embedded_sha256)
            if text is None:
                strange.append(chunk)
            else:
                texts[chunk.embedded_sha256] = text
        settled = self._settle_strange(strange) if strange else set()
        with self.indexer.database.transaction() as tx:
            known = store.list_known_vectors(tx, self.place.workspace_id, self.place.space_id, texts)
        if known:
            settled |= self._write(chunks, EmbeddedBatch(dict(known)), since=time.monotonic(), is_reused=True)
        missing = {sha256: text for sha256, text in texts.items() if sha256 not in known}
        since = time.monotonic()
        for batch in embed_texts(missing, embedder=self.embedder, before_each_batch=self.job.require_lease):
            settled |= self._write(chunks, batch, since=since)
            since = time.monotonic()
        return frozenset(settled)

    def _texts(self, item_id: ItemId) -> Mapping[bytes, str]:
        """Return what is embedded of an item as it is now, by SHA-256. Chunks come item by item: the last is kept."""
        if self._texts_of_last is None or self._texts_of_last[0] != item_id:
            workspace_id = self.place.workspace_id
            with self.indexer.database.transaction() as tx:
                source = store.find_source(tx, workspace_id, item_id)
                known = find_statistics(tx, workspace_id)
            passages = self.indexer.passages_of(workspace_id, source, known) if source else []
            texts = {passage.embedded_sha256: passage.embedded for passage in passages}
            self._texts_of_last = (item_id, texts)
        return self._texts_of_last[1]

    def _write(
        self, chunks: Sequence[LackingChunk], batch: EmbeddedBatch, *, since: float, is_reused: bool = False
    ) -> set[ItemId]:
        vectors, unusable = batch.by_sha256, batch.unusable
        place = self.place
        concerned = [each for each in chunks if each.embedded_sha256 in vectors or each.embedded_sha256 in unusable]
        with self._holding(concerned) as (tx, held):
            rows = [
                (each.id, each.item_id, each.language, each.embedded_sha256, vectors[each.embedded_sha256])
                for each in held
                if each.embedded_sha256 in vectors
            ]
            store.insert_embeddings(tx, place.workspace_id, place.space_id, rows)
            failed = [(each.id, unusable[each.embedded_sha256]) for each in held if each.embedded_sha256 in unusable]
            fills_store.insert_failures(tx, place.workspace_id, place.space, failed)
            fills_store.count_filled(
                tx,
                place.workspace_id,
                place.space,
                done=len(rows),
                reused=len(rows) if is_reused else 0,
                tokens=batch.tokens,
                seconds=0.0 if is_reused else time.monotonic() - since,
            )
        return {each.item_id for each in held}

    def _settle_strange(self, strange: Sequence[LackingChunk]) -> set[ItemId]:
        """Have items indexed anew whose chunks were made of another text or by another chunker than there is now."""
        workspace_id, makes = self.place.workspace_id, self.indexer.makes
        anew: set[ItemId] = set()
        failed: list[tuple[UUID, str]] = []
        with self._holding(strange) as (tx, held):
            makings = vectors_store.read_makings(tx, workspace_id, {chunk.item_id for chunk in held})
            for chunk in held:
                making = makings[chunk.item_id]
                if making["index_state"] == IndexState.FAILED:
                    failed.append((chunk.id, NOT_INDEXED))
                elif making["index_state"] not in _ON_THEIR_WAY and str(chunk.item_id) not in self.sent:
                    anew.add(chunk.item_id)
                elif making["index_state"] == IndexState.READY and making["indexed_as"] == makes:
                    failed.append((chunk.id, NOT_REPRODUCED))
            promise_indexing(tx, workspace_id, sorted(anew), jobs=self.indexer.jobs)
            fills_store.insert_failures(tx, workspace_id, self.place.space, failed)
        self.sent |= {str(item_id) for item_id in anew}
        failed_ids = {chunk_id for chunk_id, _ in failed}
        return {chunk.item_id for chunk in held if chunk.id in failed_ids}

    @contextmanager
    def _holding(self, chunks: Collection[LackingChunk]) -> Iterator[tuple[Transaction, Sequence[LackingChunk]]]:
        """Hold the items of those chunks that are still there, while the organization keeps the space."""
        with self.job.fenced() as tx:
            if self.place.space not in share_choice(tx, self.place.workspace_id).written:
                raise SpaceGivenUp
            yield tx, vectors_store.lock_lacking(tx, self.place, chunks)
