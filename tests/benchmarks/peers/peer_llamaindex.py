"""LlamaIndex: PGVectorStore with its text search, fused by QueryFusionRetriever as its documentation advises.

LOREBASE_PEER_SOCKET names the folder of PostgreSQL's socket, LOREBASE_PEER_DATABASE a database to use.
"""

import os

from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import QueryBundle, TextNode
from llama_index.vector_stores.postgres import PGVectorStore
from sqlalchemy import URL

from tests.benchmarks.peers.exported import INDEXED_FROM, Exported, Search, Vector, run

_HNSW = {"hnsw_m": 16, "hnsw_ef_construction": 64, "hnsw_ef_search": 100, "hnsw_dist_method": "vector_cosine_ops"}
"""The values of its documentation, but for a walk that is wide enough for a hundred."""


def index(exported: Exported) -> Search:
    socket, database = os.environ["LOREBASE_PEER_SOCKET"], os.environ["LOREBASE_PEER_DATABASE"]
    user = os.environ["LOREBASE_PEER_USER"]
    store = PGVectorStore.from_params(
        connection_string=URL.create("postgresql+psycopg2", user, database=database, query={"host": socket}),
        async_connection_string=URL.create("postgresql+asyncpg", user, database=database, query={"host": socket}),
        table_name="chunks",
        embed_dim=exported.vectors.shape[1],
        hybrid_search=True,
        text_search_config="german" if exported.is_german else "english",
        hnsw_kwargs=_HNSW if len(exported.texts) >= INDEXED_FROM else None,
    )
    nodes = [
        TextNode(id_=str(number), text=text, embedding=vector.tolist())
        for number, (text, vector) in enumerate(zip(exported.texts, exported.vectors, strict=True))
    ]
    indexed = VectorStoreIndex(
        nodes,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=MockEmbedding(exported.vectors.shape[1]),
    )

    def search(text: str, vector: Vector, k: int) -> list[int]:
        fused = QueryFusionRetriever(
            [
                indexed.as_retriever(vector_store_query_mode="default", similarity_top_k=k),
                indexed.as_retriever(vector_store_query_mode="sparse", similarity_top_k=k, sparse_top_k=k),
            ],
            llm=MockLLM(),
            similarity_top_k=k,
            num_queries=1,
            mode="relative_score",
            use_async=False,
        )
        found = fused.retrieve(QueryBundle(text, embedding=vector.tolist()))
        return [int(hit.node.node_id) for hit in found]

    return search


if __name__ == "__main__":
    run(index)
