"""What servers of OpenAI's protocol differ in is found out, and what they may not do is refused."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from chalicelib.platform.embedding_batches import BatchingEmbedder
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.openai_compatible.embedder import LIMITS, OpenAiEmbeddings
from tests.fixtures.model_answers import Reply, vector_of
from tests.fixtures.model_server import KEY, ModelServer
from tests.fixtures.moved_time import MovedTime
from tests.fixtures.remote_models import openai_of

TEXTS = ["tax", "cat", "sun"]


def embedder_of(models: ModelServer, *, dimensions: int = 256, prompts: Any = None) -> BatchingEmbedder:
    call = OpenAiEmbeddings(openai_of(models), "some-model", dimensions=dimensions, prompts=prompts)
    return BatchingEmbedder(
        call,
        LIMITS,
        space=f"openai/some-model/{dimensions}",
        dimensions=dimensions,
        languages=None,
        pace=MovedTime().pace,
    )


def are_right(rows: np.ndarray, texts: Sequence[str] = TEXTS) -> bool:
    expected = np.stack([vector_of(text, rows.shape[1]) for text in texts])
    return bool(np.allclose((rows * expected).sum(axis=1), 1, atol=1e-5))


def test_a_request_names_model_dimensions_and_key(models: ModelServer) -> None:
    assert are_right(embedder_of(models).embed_passages(TEXTS).vectors)
    (asked,) = models.asked
    expected = {"model": "some-model", "input": TEXTS, "dimensions": 256, "encoding_format": "base64"}
    assert (asked.path, asked.body) == ("/v1/embeddings", expected)
    assert asked.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("unknown", [{"dimensions"}, {"encoding_format"}, {"dimensions", "encoding_format"}])
def test_a_field_that_is_refused_is_left_out_from_then_on(models: ModelServer, unknown: set[str]) -> None:
    models.served.unknown_fields, models.served.native_dimensions = unknown, 256
    embedder = embedder_of(models)
    assert are_right(embedder.embed_passages(TEXTS).vectors)
    assert len(models.asked) == 1 + len(unknown)
    assert are_right(embedder.embed_passages(TEXTS).vectors)
    assert len(models.asked) == 2 + len(unknown)
    assert not unknown & set(models.asked[-1].body)


def test_a_server_that_ignores_dimensions_is_taken_at_its_own_alone(models: ModelServer) -> None:
    models.served.ignores_dimensions, models.served.native_dimensions = True, 256
    assert are_right(embedder_of(models).embed_passages(TEXTS).vectors)
    with pytest.raises(EmbedderUnavailable, match="vectors of 256 dimensions where 512 were asked for"):
        embedder_of(models, dimensions=512).embed_passages(TEXTS)


def test_a_text_that_speaks_of_fields_does_not_change_the_form(models: ModelServer) -> None:
    poison = models.served.poison
    models.change = lambda reply: (
        Reply({"error": {"message": f"dimensions and base64 {poison}"}}, 400) if reply.status == 400 else reply
    )
    embedder = embedder_of(models)
    rows = embedder.embed_passages(["tax", f"dimensions {poison}"]).vectors
    assert [bool(row.any()) for row in rows] == [True, False]
    embedder.embed_passages(TEXTS)
    assert {"dimensions", "encoding_format"} <= set(models.asked[-1].body)


def test_a_server_of_small_batches_is_given_small_ones(models: ModelServer) -> None:
    models.served.most_texts = 32
    texts = [f"word{number}" for number in range(128)]
    embedder = embedder_of(models)
    assert are_right(embedder.embed_passages(texts).vectors, texts)
    models.asked.clear()
    embedder.embed_passages(texts)
    assert [len(batch) for batch in models.texts_asked()] == [32, 32, 32, 32]


def test_prompts_stand_before_texts_by_their_purpose(models: ModelServer) -> None:
    embedder = embedder_of(models, prompts={"query": "query: ", "passage": "passage: "})
    embedder.embed_passages(["tax", "cat"])
    embedder.embed_query("sun")
    assert models.texts_asked() == [["passage: tax", "passage: cat"], ["query: sun"]]


def entry(index: object, embedding: object = (1.0,) * 256) -> dict[str, object]:
    return {"index": index, "embedding": embedding}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([entry(0), entry(1)], "2 vectors for 3 texts"),
        ([entry(0), entry(1), entry(1)], "double"),
        ([entry(0), entry(1), entry(3)], "unknown"),
        ([entry(0), entry(1), entry(2), entry(3)], "unknown"),
        ([entry(0), entry(1), entry(-1)], "unknown"),
        ([entry(0), entry(1), entry(True)], "unknown"),
        ([entry(0), entry(1), entry("2")], "unknown"),
        ([entry(0), entry(1), {"embedding": [1.0] * 256}], "absent"),
        ([{"embedding": [1.0] * 256}] * 3, "absent"),
        ([entry(0), entry(1), None], "absent"),
        ([entry(0), entry(1), entry(2, None)], "no lists of numbers"),
        ([entry(0), entry(1), entry(2, "not base64!")], "no lists of numbers"),
        ([entry(0), entry(1), entry(2, "AAAAAAA=")], "no lists of numbers"),
        ([entry(0), entry(1), entry(2, ["a"] * 256)], "no lists of numbers"),
        ([entry(0), entry(1), entry(2, [10**400] * 256)], "no lists of numbers"),
        ([entry(0), entry(1), entry(2, [])], "of 0 dimensions"),
        ([entry(0), entry(1), entry(2, [[1.0] * 256])], "of 1x256 dimensions"),
        (None, "no list of embeddings"),
        ({"0": entry(0)}, "no list of embeddings"),
    ],
)
def test_an_answer_whose_vectors_cannot_be_placed_is_refused(models: ModelServer, data: object, said: str) -> None:
    models.change = lambda _: Reply({"data": data})
    with pytest.raises(EmbedderUnavailable, match=said):
        embedder_of(models).embed_passages(TEXTS)


def test_the_first_index_may_be_left_out_where_the_others_are_there(models: ModelServer) -> None:
    def without_zero(reply: Reply) -> Reply:
        data = [{name: value for name, value in each.items() if value != 0} for each in reply.content["data"]]
        return Reply({**reply.content, "data": data})

    models.change = without_zero
    assert are_right(embedder_of(models).embed_passages(TEXTS).vectors)
    assert are_right(embedder_of(models).embed_query("tax").vectors, ["tax"])


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [({"prompt_tokens": 9}, 9), ({"total_tokens": 8}, 8), ({}, 6), (None, 6), ({"prompt_tokens": "9"}, 6)],
)
def test_tokens_are_the_servers_or_an_estimate(
    models: ModelServer, usage: Mapping[str, object] | None, tokens: int
) -> None:
    models.change = lambda reply: Reply({**reply.content, "usage": usage})
    assert embedder_of(models).embed_passages(TEXTS).tokens == tokens
