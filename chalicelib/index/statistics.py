"""Reads and writes what BM25 needs of a workspace: chunks of each term, lengths of chunks, and the weights."""

from collections.abc import Collection, Mapping, Sequence

from pgvector import SparseVector

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.model import ChunkId, Statistics

_SQL = load_statements(__package__, "statistics.sql")


def find_statistics(tx: Transaction, workspace_id: WorkspaceId) -> Statistics:
    """Read what BM25 needs of a workspace."""
    rows = tx.fetch_all(_SQL["list_languages"], workspace_id=workspace_id)
    return Statistics(
        chunks=sum(row["chunks"] for row in rows),
        length=sum(row["length"] for row in rows),
        chunks_by_language={row["language"]: row["chunks"] for row in rows},
    )


def count_terms(
    tx: Transaction, workspace_id: WorkspaceId, chunk_ids: Collection[ChunkId]
) -> tuple[Mapping[int, int], Sequence[Row]]:
    """Count the chunks of each term, and chunks and length of each language, over some chunks."""
    parameters = {"workspace_id": workspace_id, "chunk_ids": list(chunk_ids)}
    terms = tx.fetch_all(_SQL["count_terms"], **parameters)
    return {row["term"]: row["chunks"] for row in terms}, tx.fetch_all(_SQL["count_languages"], **parameters)


def add_statistics(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    terms: Mapping[int, int],
    languages: Mapping[str, tuple[int, float]],
) -> None:
    """Count terms, and chunks and length by language, up or down."""
    changed = {term: delta for term, delta in terms.items() if delta}
    if changed:
        tx.execute(_SQL["add_terms"], workspace_id=workspace_id, terms=list(changed), deltas=list(changed.values()))
    gone = [term for term, delta in changed.items() if delta < 0]
    if gone:
        tx.execute(_SQL["forget_terms"], workspace_id=workspace_id, terms=gone)
    if languages:
        tx.execute(
            _SQL["add_languages"],
            workspace_id=workspace_id,
            languages=list(languages),
            chunks=[chunks for chunks, _ in languages.values()],
            lengths=[length for _, length in languages.values()],
        )


def find_weighed_amiss(
    tx: Transaction, workspace_id: WorkspaceId, *, least: float, most: float, limit: int
) -> Sequence[Row]:
    """Lock and read rows whose weights are for an average length outside these bounds."""
    return tx.fetch_all(_SQL["find_weighed_amiss"], workspace_id=workspace_id, least=least, most=most, limit=limit)


def set_weights(
    tx: Transaction,
    workspace_id: WorkspaceId,
    weights_by_chunk: Mapping[ChunkId, SparseVector],
    *,
    average_length: float,
) -> None:
    """Give chunks weights for another average length."""
    tx.execute_many(
        _SQL["set_weights"],
        (
            {
                "workspace_id": workspace_id,
                "chunk_id": chunk_id,
                "weights": weights,
                "average_length": average_length,
            }
            for chunk_id, weights in weights_by_chunk.items()
        ),
    )
