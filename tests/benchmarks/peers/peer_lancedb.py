"""LanceDB: hybrid search by its own full-text index and vectors, fused by its RRFReranker."""

import os
import tempfile

os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of a coming change with every search

import lancedb
from lancedb.index import FTS, HnswSq
from lancedb.rerankers import RRFReranker
from lancedb.table import LanceTable

from tests.benchmarks.peers.exported import INDEXED_FROM, Exported, Search, Vector, run


def fill(exported: Exported) -> LanceTable:
    table = lancedb.connect(tempfile.mkdtemp(prefix="peer-lancedb-")).create_table(
        "chunks",
        [
            {"number": number, "text": text, "vector": vector}
            for number, (text, vector) in enumerate(zip(exported.texts, exported.vectors, strict=True))
        ],
    )
    if len(exported.texts) >= INDEXED_FROM:
        table.create_index("vector", config=HnswSq(distance_type="cosine"))
    return table


def index(exported: Exported) -> Search:
    table = fill(exported)
    table.create_index("text", config=FTS(language="German" if exported.is_german else "English"))
    reranker = RRFReranker()

    def search(text: str, vector: Vector, k: int) -> list[int]:
        query = table.search(query_type="hybrid").vector(vector).text(text).rerank(reranker).limit(k)
        return [int(row["number"]) for row in query.select(["number"]).to_list()]

    return search


def nearest(exported: Exported) -> Search:
    table = fill(exported)

    def search(_: str, vector: Vector, k: int) -> list[int]:
        query = table.search(vector).distance_type("cosine").limit(k)
        return [int(row["number"]) for row in query.select(["number"]).to_list()]

    return search


if __name__ == "__main__":
    run(index)
