"""Reads and writes chunks, their terms and vectors, and the counts over them."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from pgvector import HalfVector
from psycopg.types.json import Jsonb

from chalicelib.access.model import Audiences
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.bm25 import weigh
from chalicelib.index.model import (
    Chunk,
    ChunkId,
    IndexedChunk,
    Passage,
    Source,
    SpaceId,
)
from chalicelib.items.model import IndexState, ItemId, Problem

_SQL = load_statements(__package__, "index.sql")
_CHUNK_TYPES = ["uuid", "uuid", "uuid", "int4", "text[]", *["int4"] * 3, *["text"] * 2, "int4", "text", *["bytea"] * 2]


def find_source(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId) -> Source | None:
    """Read what is to be indexed of a living item."""
    row = tx.fetch_one(_SQL["find_source"], workspace_id=workspace_id, item_id=item_id)
    if row is None:
        return None
    return Source(
        item_id=row["id"],
        title=row["title"],
        body=row["body"],
        page_starts=row["page_starts"],
        language=row["language"],
        revision=row["revision"],
        summary=row["summary"] or "",
    )


def lock_source(tx: Transaction, workspace_id: WorkspaceId, source: Source) -> tuple[Source, int] | None:
    """Lock a living item; return what was read of it under its present number, and the revision in search (0: none).

    An item that only moved since then has the next revision with the same content, and is indexed by that number.
    A worker holds its job and waits for the item. A deletion holds the item and passes over jobs that another
    holds, so that the two never wait for each other.
    """
    row = tx.fetch_one(
        _SQL["lock_source"],
        workspace_id=workspace_id,
        item_id=source.item_id,
        title=source.title,
        body_sha256=hashlib.sha256(source.body.encode()).digest(),
        language=source.language,
        page_starts=list(source.page_starts),
    )
    if row is None:
        return None
    present = replace(source, revision=row["revision"]) if row["is_same"] else source
    return present, row["indexed_revision"] or 0


def mark_indexing(tx: Transaction, workspace_id: WorkspaceId, source: Source) -> None:
    """Show that a worker has begun."""
    tx.execute(_SQL["mark_indexing"], workspace_id=workspace_id, item_id=source.item_id, revision=source.revision)


def mark_indexed(
    tx: Transaction,
    workspace_id: WorkspaceId,
    source: Source,
    *,
    state: IndexState,
    chunks: int,
    language: str | None,
    indexed_as: str,
    warning_code: str,
    warnings: Sequence[Mapping[str, object]],
) -> None:
    """Show what a search sees now, the language that it was analysed in, and what it was made by.

    `warnings` take the place of those of `warning_code`.
    """
    tx.execute(
        _SQL["mark_indexed"],
        workspace_id=workspace_id,
        item_id=source.item_id,
        revision=source.revision,
        state=state,
        chunk_count=chunks,
        indexed_language=language,
        indexed_as=indexed_as,
        warning_code=warning_code,
        warnings=Jsonb(list(warnings)),
    )


def show_wait(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, reason: Problem) -> None:
    """Show what an item waits for that is found by its words alone until then."""
    tx.execute(_SQL["show_wait"], workspace_id=workspace_id, item_id=item_id, reason=Jsonb(reason))


def mark_failed(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, reason: Problem) -> None:
    """Show why the present revision is not in search."""
    tx.execute(_SQL["mark_failed"], workspace_id=workspace_id, item_id=item_id, reason=Jsonb(dict(reason)))


def list_indexed(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId) -> Sequence[IndexedChunk]:
    """Read which chunks of an item are in search, in their order."""
    rows = tx.fetch_all(_SQL["list_indexed"], workspace_id=workspace_id, item_id=item_id)
    return [IndexedChunk(row["id"], row["content_sha256"]) for row in rows]


def list_chunk_ids(tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId]) -> Sequence[ChunkId]:
    """Read which chunks of some items are in search."""
    rows = tx.fetch_all(_SQL["list_chunk_ids"], workspace_id=workspace_id, item_ids=list(item_ids))
    return [ChunkId(row["id"]) for row in rows]


def list_chunks(
    tx: Transaction,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    *,
    audiences: Audiences,
    after: int,
    limit: int,
) -> Sequence[Chunk]:
    """Read the chunks of a readable item from behind the ordinal `after`."""
    rows = tx.fetch_all(
        _SQL["list_chunks"],
        workspace_id=workspace_id,
        item_id=item_id,
        audiences=audiences,
        after=after,
        limit=limit,
    )
    return [_chunk_of(row) for row in rows]


def insert_chunks(
    tx: Transaction,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    chunks: Sequence[tuple[ChunkId, Passage]],
    *,
    average_length: float,
) -> None:
    """Add chunks and their terms."""
    tx.copy_rows(
        _SQL["insert_chunks"],
        ((workspace_id, chunk_id, item_id, *_columns_of(passage)) for chunk_id, passage in chunks),
        _CHUNK_TYPES,
    )
    tx.copy_rows(
        _SQL["insert_terms"],
        (
            (
                workspace_id,
                chunk_id,
                item_id,
                passage.language,
                sorted(passage.counted.counts),
                weigh(passage.counted, average_length=average_length),
                float(passage.counted.length),
                average_length,
            )
            for chunk_id, passage in chunks
        ),
        ["uuid", "uuid", "uuid", "text", "int4[]", "sparsevec", "float4", "float4"],
    )


def insert_embeddings(
    tx: Transaction,
    workspace_id: WorkspaceId,
    space_id: SpaceId,
    rows: Iterable[tuple[ChunkId, ItemId, str, bytes, HalfVector]],
) -> None:
    """Add vectors of chunks, whose items are locked: chunk, item, language, SHA-256 of what was embedded, vector."""
    tx.copy_rows(
        _SQL["insert_embeddings"],
        (
            (workspace_id, chunk_id, space_id, item_id, language, embedded_sha256, vector)
            for chunk_id, item_id, language, embedded_sha256, vector in rows
        ),
        ["uuid", "uuid", "int2", "uuid", "text", "bytea", "halfvec"],
    )


def move_chunks(tx: Transaction, workspace_id: WorkspaceId, placed: Sequence[tuple[ChunkId, Passage]]) -> None:
    """Give chunks that stay their places in the next revision."""
    tx.execute_many(
        _SQL["move_chunk"],
        (
            {
                "workspace_id": workspace_id,
                "id": chunk_id,
                "ordinal": passage.ordinal,
                "body_start": passage.start,
                "body_end": passage.end,
                "page": passage.page,
            }
            for chunk_id, passage in placed
        ),
    )


def delete_chunks(tx: Transaction, workspace_id: WorkspaceId, chunk_ids: Collection[ChunkId]) -> None:
    """Take chunks out of search, with their terms and vectors."""
    tx.execute(_SQL["delete_chunks"], workspace_id=workspace_id, chunk_ids=list(chunk_ids))


def list_embedded(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, space_id: SpaceId) -> frozenset[ChunkId]:
    """Read which chunks of an item have a vector."""
    rows = tx.fetch_all(_SQL["list_embedded"], workspace_id=workspace_id, item_id=item_id, space_id=space_id)
    return frozenset(row["chunk_id"] for row in rows)


def list_known_vectors(
    tx: Transaction, workspace_id: WorkspaceId, space_id: SpaceId, hashes: Collection[bytes]
) -> dict[bytes, HalfVector]:
    """Read the vectors that a workspace has for these texts."""
    rows = tx.fetch_all(_SQL["list_known_vectors"], workspace_id=workspace_id, space_id=space_id, hashes=list(hashes))
    return {row["embedded_sha256"]: row["embedding"] for row in rows}


def _columns_of(passage: Passage) -> tuple[object, ...]:
    return (
        passage.ordinal,
        list(passage.heading_path),
        passage.start,
        passage.end,
        passage.page,
        passage.opening,
        passage.text,
        passage.tokens,
        passage.language,
        passage.content_sha256,
        passage.embedded_sha256,
    )


def _chunk_of(row: Row) -> Chunk:
    return Chunk(
        id=row["id"],
        item_id=row["item_id"],
        revision=row["revision"],
        ordinal=row["ordinal"],
        heading_path=row["heading_path"],
        start=row["body_start"],
        end=row["body_end"],
        page=row["page"],
        opening=row["opening"],
        text=row["text"],
        tokens=row["tokens"],
    )
