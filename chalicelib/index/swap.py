"""Swaps the chunks of an item for those of its next revision, in the caller's transaction."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import statistics, store
from chalicelib.index.model import ChunkId, IndexedChunk, Passage, Source, Vectors
from chalicelib.items import usage_store
from chalicelib.items.model import ItemId
from chalicelib.items.quotas import Quotas, charge


@dataclass(frozen=True, slots=True)
class _Difference:
    """What a swap has to do: chunks with the same content stay what they are and only move."""

    kept: Sequence[tuple[ChunkId, Passage]]
    added: Sequence[tuple[ChunkId, Passage]]
    removed: Sequence[ChunkId]


def swap_chunks(
    tx: Transaction,
    workspace_id: WorkspaceId,
    source: Source,
    passages: Sequence[Passage],
    *,
    vectors: Collection[Vectors],
    quotas: Quotas,
) -> None:
    """Put the passages in the place of the item's chunks, with their vectors in one space or in several.

    The item is locked. Raises QuotaExceeded.

    Chunks whose content stays keep their ids, terms and vectors, so that the work is proportional to the change.
    """
    difference = _difference(passages, store.list_indexed(tx, workspace_id, source.item_id))
    terms, languages = _counts(tx, workspace_id, difference)
    known = statistics.find_statistics(tx, workspace_id)
    length = known.length + sum(length for _, length in languages.values())
    chunks = known.chunks + sum(count for count, _ in languages.values())
    store.delete_chunks(tx, workspace_id, difference.removed)
    store.move_chunks(tx, workspace_id, difference.kept)
    store.insert_chunks(
        tx,
        workspace_id,
        source.item_id,
        difference.added,
        average_length=length / chunks if chunks > 0 and length > 0 else 1.0,
    )
    for each in vectors:
        _insert_vectors(tx, workspace_id, source.item_id, difference, each)
    statistics.add_statistics(tx, workspace_id, terms=terms, languages=languages)
    delta = len(difference.added) - len(difference.removed)
    if delta:
        charge(tx, workspace_id, quotas, chunks=delta)


def remove_from_index(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId) -> None:
    """Take an item out of search at once. The item is locked by the transaction, which goes on to bury it."""
    _remove(tx, workspace_id, [chunk.id for chunk in store.list_indexed(tx, workspace_id, item_id)])


def remove_items_from_index(tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId]) -> None:
    """Take many items, locked by the transaction, out of search at once."""
    _remove(tx, workspace_id, store.list_chunk_ids(tx, workspace_id, item_ids))


def _remove(tx: Transaction, workspace_id: WorkspaceId, removed: Sequence[ChunkId]) -> None:
    if not removed:
        return
    terms, languages = _counts(tx, workspace_id, _Difference([], [], removed))
    store.delete_chunks(tx, workspace_id, removed)
    statistics.add_statistics(tx, workspace_id, terms=terms, languages=languages)
    usage_store.add_usage(tx, workspace_id, {"chunks": -len(removed)})


def _difference(passages: Sequence[Passage], present: Sequence[IndexedChunk]) -> _Difference:
    ids_by_content: dict[bytes, list[ChunkId]] = defaultdict(list)
    for chunk in reversed(present):
        ids_by_content[chunk.content_sha256].append(chunk.id)
    kept: list[tuple[ChunkId, Passage]] = []
    added: list[tuple[ChunkId, Passage]] = []
    for passage in passages:
        if ids_by_content[passage.content_sha256]:
            kept.append((ids_by_content[passage.content_sha256].pop(), passage))
        else:
            added.append((ChunkId(new_id()), passage))
    return _Difference(kept, added, [chunk_id for ids in ids_by_content.values() for chunk_id in ids])


def _counts(
    tx: Transaction, workspace_id: WorkspaceId, difference: _Difference
) -> tuple[Mapping[int, int], Mapping[str, tuple[int, float]]]:
    """Return what changes in the counts: of chunks by term, and of chunks and length by language."""
    terms: Counter[int] = Counter()
    chunks: Counter[str] = Counter()
    lengths: dict[str, float] = defaultdict(float)
    for _, passage in difference.added:
        terms.update(passage.counted.counts.keys())
        chunks[passage.language] += 1
        lengths[passage.language] += passage.counted.length
    if difference.removed:
        gone, gone_languages = statistics.count_terms(tx, workspace_id, difference.removed)
        terms.subtract(gone)
        for row in gone_languages:
            chunks[row["language"]] -= row["chunks"]
            lengths[row["language"]] -= row["length"]
    return terms, {language: (chunks[language], lengths[language]) for language in chunks}


def _insert_vectors(
    tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, difference: _Difference, vectors: Vectors
) -> None:
    embedded = store.list_embedded(tx, workspace_id, item_id, vectors.space_id)
    placed = [(chunk_id, passage) for chunk_id, passage in difference.kept if chunk_id not in embedded]
    placed += difference.added
    store.insert_embeddings(
        tx,
        workspace_id,
        vectors.space_id,
        (
            (chunk_id, item_id, passage.language, passage.embedded_sha256, vectors.by_sha256[passage.embedded_sha256])
            for chunk_id, passage in placed
            if passage.embedded_sha256 in vectors.by_sha256
        ),
    )
