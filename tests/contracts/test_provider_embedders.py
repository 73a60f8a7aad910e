"""What every embedder promises, held by those behind a network: their real code, over HTTP, to a server of the tests.

The server speaks the providers' protocols as they are documented; the providers themselves were not asked.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from chalicelib.platform.aws.bedrock_embedder import bedrock_call, family_of
from chalicelib.platform.embedding_batches import BatchingEmbedder
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.openai_compatible.embedder import LIMITS, OpenAiEmbeddings
from chalicelib.platform.ports import Embedder
from tests.fixtures.model_answers import Reply, bedrock_error
from tests.fixtures.model_server import KEY, ModelServer
from tests.fixtures.moved_time import MovedTime
from tests.fixtures.remote_models import bedrock_of, openai_of

COUNT_OF_INPUT = "x-amzn-bedrock-input-token-count"

DIMENSIONS_BY_MODEL = {
    "text-embedding-3-small": 512,
    "amazon.titan-embed-text-v2:0": 256,
    "cohere.embed-multilingual-v3": 1024,
    "cohere.embed-v4:0": 1536,
}


def openai_embedder(models: ModelServer, time: MovedTime) -> Embedder:
    call = OpenAiEmbeddings(openai_of(models), "text-embedding-3-small", dimensions=512)
    return BatchingEmbedder(
        call, LIMITS, space="openai/text-embedding-3-small/512", dimensions=512, languages=None, pace=time.pace
    )


def bedrock_embedder(model: str) -> Callable[[ModelServer, MovedTime], Embedder]:
    def make(models: ModelServer, time: MovedTime) -> Embedder:
        family, dimensions = family_of(model), DIMENSIONS_BY_MODEL[model]
        assert family is not None
        assert dimensions in family.dimensions
        call = bedrock_call(bedrock_of(models), model, dimensions=dimensions)
        space = f"bedrock/{model}/{dimensions}"
        return BatchingEmbedder(
            call, family.limits, space=space, dimensions=dimensions, languages=family.languages, pace=time.pace
        )

    return make


MAKERS: Mapping[str, Callable[[ModelServer, MovedTime], Embedder]] = {
    "text-embedding-3-small": openai_embedder,
    **{name: bedrock_embedder(name) for name in DIMENSIONS_BY_MODEL if not name.startswith("text")},
}


@pytest.fixture
def time() -> MovedTime:
    return MovedTime()


@pytest.fixture(params=sorted(MAKERS))
def each(request: pytest.FixtureRequest, models: ModelServer, time: MovedTime) -> Embedder:
    return MAKERS[request.param](models, time)


def test_rows_are_as_many_as_texts_and_of_length_one(each: Embedder) -> None:
    embedded = each.embed_passages([f"text {n}" for n in range(70)])
    assert embedded.vectors.shape == (70, each.dimensions)
    assert embedded.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(embedded.vectors, axis=1), 1, atol=1e-5)
    assert embedded.tokens == 140
    assert each.space.endswith(f"/{each.dimensions}")


def test_no_texts_give_no_rows(each: Embedder) -> None:
    assert each.embed_passages([]).vectors.shape == (0, each.dimensions)


def test_the_order_of_texts_is_kept_whatever_their_length(each: Embedder) -> None:
    texts = ["tax " * 300, "cat", "a longer text about cats " * 40, "", "sun moon"]
    rows = each.embed_passages(texts).vectors
    alone = np.concatenate([each.embed_passages([text]).vectors for text in texts])
    assert np.allclose((rows * alone).sum(axis=1), [1, 1, 1, 0, 1], atol=1e-3)
    assert abs(rows[0] @ rows[4]) < 0.5


def test_a_question_is_near_its_answer(each: Embedder) -> None:
    question = each.embed_query("who pays for my train ticket").vectors
    rows = each.embed_passages(["the firm pays for a train ticket", "printers stand on the second floor"]).vectors
    assert question.shape == (1, each.dimensions)
    assert question[0] @ rows[0] > question[0] @ rows[1]


@pytest.mark.parametrize("text", ["", " \t\n", "\x00", "\u200b"])
def test_a_text_without_meaning_is_zero_and_never_nan(each: Embedder, text: str) -> None:
    assert not each.embed_query(text).vectors.any()


@pytest.mark.parametrize("text", ["\ud800 lone", "😀" * 50, '"\\\n{}', "a" * 20_000, "\ufb01\u0301", "x \x00 y"])
def test_any_string_has_a_finite_vector_of_length_one(each: Embedder, text: str) -> None:
    assert np.linalg.norm(each.embed_query(text).vectors) == pytest.approx(1, abs=1e-5)


def test_the_tail_of_a_long_text_counts(each: Embedder) -> None:
    head = "The weather report was read aloud to the crew. " * 1_500
    one, other = each.embed_passages([head + "treaty " * 900, head + "banana " * 900]).vectors
    assert one @ other < 0.999


def test_a_poisonous_text_is_zero_and_harms_no_other(each: Embedder, models: ModelServer) -> None:
    rows = each.embed_passages(["tax", f"bad {models.served.poison}", "cat"]).vectors
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1])


@pytest.mark.parametrize("count", [-1, 0, "many", None, True, 1.5, [7]])
def test_a_count_of_tokens_that_is_none_is_estimated(each: Embedder, models: ModelServer, count: object) -> None:
    def miscounted(reply: Reply) -> Reply:
        counts = {"inputTextTokenCount": count, "usage": {"prompt_tokens": count, "total_tokens": count}}
        headers = {name: value for name, value in reply.headers.items() if "token-count" not in name.lower()}
        return Reply({**reply.content, **counts}, reply.status, {**headers, COUNT_OF_INPUT: str(count)})

    models.change = miscounted
    assert each.embed_passages(["a tax on tickets"]).tokens == 6


def test_a_moment_of_trouble_is_waited_out(each: Embedder, models: ModelServer, time: MovedTime) -> None:
    busy = Reply({"message": "slow down"}, 429, {"Retry-After": "4", "x-amzn-ErrorType": "ThrottlingException"})
    models.troubles = [busy, "cut", "cut the body", Reply(b"<html>", 502)]
    assert each.embed_passages(["tax"]).vectors.any()
    assert sum(time.slept) >= 4


def test_a_server_that_is_away_is_said_to_be(each: Embedder, models: ModelServer) -> None:
    models.change = lambda _: bedrock_error(503, "ServiceUnavailableException", "away")
    with pytest.raises(EmbedderUnavailable, match="answered 503"):
        each.embed_passages(["tax"])


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_only_a_person_can_mend_is_not_tried_again(each: Embedder, models: ModelServer, status: int) -> None:
    models.change = lambda _: Reply({"error": {"message": f"wrong key {KEY}"}, "message": f"wrong {KEY}"}, status)
    with pytest.raises(EmbedderUnavailable, match=f"answered {status}") as caught:
        each.embed_passages(["tax"])
    assert len(models.asked) == 1
    assert KEY not in f"{caught.value} {caught.value.members}"


def test_vectors_of_other_dimensions_are_refused(each: Embedder, models: ModelServer) -> None:
    short = [0.5] * 8
    models.change = lambda reply: Reply(
        {**reply.content, "embedding": short, "embeddings": [short], "data": [{"index": 0, "embedding": short}]}
    )
    with pytest.raises(EmbedderUnavailable, match=f"of 8 dimensions where {each.dimensions} were asked for"):
        each.embed_passages(["tax"])


@pytest.mark.parametrize("content", [b"", b"not JSON", b"[]", b"{}", b'{"data": 7, "embeddings": "no"}', b"[" * 5_000])
def test_an_answer_that_cannot_be_read_is_refused(each: Embedder, models: ModelServer, content: bytes) -> None:
    models.change = lambda _: Reply(content)
    with pytest.raises(EmbedderUnavailable):
        each.embed_passages(["tax"])
