"""The product's side of the comparison: its chunks and vectors for the peers, and its own answers."""

import json
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from chalicelib.database.statements import parse_statements
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.ports import Embedded, Embedder, Vectors
from chalicelib.search.model import Level
from tests.benchmarks.retrieval import Collection, ask, index_collection
from tests.fixtures.indexing import IndexRoom

SHOWN = 10
WARMING = 20
_SQL = parse_statements(
    """
-- name: list_embedded_chunks
-- Read which item each chunk is of, and what was embedded for it.
select i.path, e.embedded_sha256 from embeddings e
join chunks c on c.workspace_id = e.workspace_id and c.id = e.chunk_id join items i on i.id = c.item_id
where e.workspace_id = %(workspace_id)s order by i.path::integer, c.ordinal
""",
    origin="tests",
)


class RememberingEmbedder:
    """An embedder that keeps what it embedded, and answers questions that it knows from memory when told to."""

    def __init__(self, embedder: Embedder) -> None:
        self.space, self.dimensions, self.languages = embedder.space, embedder.dimensions, embedder.languages
        self.embedder = embedder
        self.passages: dict[bytes, tuple[str, Vectors]] = {}
        self.questions: dict[str, Vectors] = {}
        self.is_asked_from_memory = False

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        embedded = self.embedder.embed_passages(texts)
        for text, vector in zip(texts, embedded.vectors, strict=True):
            self.passages[sha256(text.encode("utf-8", "surrogatepass")).digest()] = (text, vector)
        return embedded

    def embed_query(self, text: str) -> Embedded:
        if self.is_asked_from_memory and text in self.questions:
            return Embedded(self.questions[text], 0)
        embedded = self.embedder.embed_query(text)
        self.questions[text] = embedded.vectors
        return embedded


def take_in(
    collection: Collection, room: IndexRoom, embedder: RememberingEmbedder, folder: Path, *, has_times: bool
) -> Mapping[str, Any]:
    """Index a collection, write its chunks into a folder for the peers, and return the product's own answers."""
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    ids = index_collection(collection, room)
    answered: dict[str, Any] = {"index_seconds": time.perf_counter() - started}
    _export_chunks(room, embedder, ids, folder)
    _export_questions(collection, embedder, folder)
    if has_times:
        # The server does so by itself within some seconds.
        with psycopg.connect(room.database.conninfo, autocommit=True) as session:
            session.execute("vacuum analyze")
        answered["with_embedding"] = _times(collection, room)
    embedder.is_asked_from_memory = True
    if has_times:
        answered["milliseconds"] = _times(collection, room)
    return {**answered, "rankings": ask(collection, room, ids, Mode.HYBRID).rankings}


def _export_chunks(room: IndexRoom, embedder: RememberingEmbedder, ids: Sequence[str], folder: Path) -> None:
    with room.database.transaction() as tx:
        rows = tx.fetch_all(_SQL["list_embedded_chunks"], workspace_id=room.workspace_id)
    kept = [embedder.passages[bytes(row["embedded_sha256"])] for row in rows]
    np.save(folder / "vectors.npy", np.stack([vector for _, vector in kept]).astype(np.float32))
    write_lines(
        folder / "chunks.jsonl",
        [{"item": ids[int(row["path"])], "text": text} for row, (text, _) in zip(rows, kept, strict=True)],
    )


def _export_questions(collection: Collection, embedder: RememberingEmbedder, folder: Path) -> None:
    lines, vectors = [], []
    for query_id, text in collection.questions.texts.items():
        started = time.perf_counter()
        vectors.append(embedder.embed_query(text).vectors.reshape(-1))
        milliseconds = (time.perf_counter() - started) * 1000
        lines.append({"_id": query_id, "text": text, "embed_ms": milliseconds})
    np.save(folder / "question_vectors.npy", np.stack(vectors).astype(np.float32))
    write_lines(folder / "questions.jsonl", lines)


def _times(collection: Collection, room: IndexRoom) -> list[float]:
    texts = list(collection.questions.texts.values())
    for text in texts[:WARMING]:
        room.search(text, level=Level.ITEM, limit=SHOWN)
    milliseconds = []
    for text in texts:
        started = time.perf_counter()
        room.search(text, level=Level.ITEM, limit=SHOWN)
        milliseconds.append((time.perf_counter() - started) * 1000)
    return milliseconds


def write_lines(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
