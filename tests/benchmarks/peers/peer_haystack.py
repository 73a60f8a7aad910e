"""Haystack: its in-memory BM25 and embedding retrievers, joined by reciprocal rank fusion."""

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from tests.benchmarks.peers.exported import Exported, Search, Vector, run


def index(exported: Exported) -> Search:
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(
        [
            Document(id=str(number), content=text, embedding=vector.tolist())
            for number, (text, vector) in enumerate(zip(exported.texts, exported.vectors, strict=True))
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("words", InMemoryBM25Retriever(store))
    pipeline.add_component("meaning", InMemoryEmbeddingRetriever(store))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.connect("words", "joiner")
    pipeline.connect("meaning", "joiner")

    def search(text: str, vector: Vector, k: int) -> list[int]:
        found = pipeline.run(
            {
                "words": {"query": text, "top_k": k},
                "meaning": {"query_embedding": vector.tolist(), "top_k": k},
                "joiner": {"top_k": k},
            }
        )
        return [int(document.id) for document in found["joiner"]["documents"]]

    return search


if __name__ == "__main__":
    run(index)
