"""txtai: hybrid search by its sparse BM25 and dense faiss index, with its default weights."""

from txtai import Embeddings

from tests.benchmarks.peers.exported import Exported, Search, Vector, run


def fill(exported: Exported) -> Embeddings:
    vectors = dict(zip(exported.texts, exported.vectors, strict=True))
    vectors |= {
        question["text"]: vector for question, vector in zip(exported.questions, exported.question_vectors, strict=True)
    }
    embeddings = Embeddings(
        method="external", transform=lambda texts: [vectors[text] for text in texts], hybrid=True, content=False
    )
    embeddings.index((number, text, None) for number, text in enumerate(exported.texts))
    return embeddings


def index(exported: Exported) -> Search:
    embeddings = fill(exported)

    def search(text: str, _: Vector, k: int) -> list[int]:
        return [int(number) for number, _score in embeddings.search(text, k)]

    return search


def nearest(exported: Exported) -> Search:
    embeddings = fill(exported)

    def search(text: str, _: Vector, k: int) -> list[int]:
        return [int(number) for number, _score in embeddings.search(text, k, weights=1.0)]

    return search


if __name__ == "__main__":
    run(index)
