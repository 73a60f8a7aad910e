"""Chroma: its local index (HNSW, cosine). Its local form has no hybrid search, so that meaning is all it goes by."""

import tempfile

import chromadb

from tests.benchmarks.peers.exported import Exported, Search, Vector, run

_BATCH = 5000


def index(exported: Exported) -> Search:
    client = chromadb.PersistentClient(tempfile.mkdtemp(prefix="peer-chromadb-"))
    collection = client.create_collection(
        "chunks", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
    )
    for start in range(0, len(exported.texts), _BATCH):
        end = min(start + _BATCH, len(exported.texts))
        collection.add(
            ids=[str(number) for number in range(start, end)],
            documents=list(exported.texts[start:end]),
            embeddings=exported.vectors[start:end],
        )

    def search(_: str, vector: Vector, k: int) -> list[int]:
        found = collection.query(query_embeddings=[vector], n_results=k)
        return [int(one) for one in found["ids"][0]]

    return search


nearest = index


if __name__ == "__main__":
    run(index)
