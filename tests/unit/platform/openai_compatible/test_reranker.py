"""Servers name passages and scores in several ways; scores beyond 0 to 1 come from before the logistic function."""

import pytest

from chalicelib.platform.errors import RerankerUnavailable
from chalicelib.platform.openai_compatible.reranker import OpenAiReranker
from tests.fixtures.model_answers import Reply
from tests.fixtures.model_server import ModelServer
from tests.fixtures.moved_time import MovedTime
from tests.fixtures.remote_models import openai_of


def reranker_of(models: ModelServer) -> OpenAiReranker:
    return OpenAiReranker(openai_of(models), "some-model", name="openai/some-model", pace=MovedTime().pace)


@pytest.mark.parametrize(("kind", "requests"), [("cohere", 1), ("voyage", 2), ("tei", 3)])
def test_each_kind_of_server_is_understood_and_remembered(models: ModelServer, kind: str, requests: int) -> None:
    models.served.reranks_like = kind
    reranker = reranker_of(models)
    assert reranker.rank("tax law", ["sun", "tax", "tax law"], seconds=5).scores == [0.0, 0.5, 1.0]
    assert len(models.asked) == requests
    assert reranker.rank("tax law", ["tax law", "sun"], seconds=5).scores == [1.0, 0.0]
    assert len(models.asked) == requests + 1


def test_raw_scores_go_through_the_logistic_function_together(models: ModelServer) -> None:
    models.served.raw_scores = True
    scores = reranker_of(models).rank("tax law", ["sun", "tax", "tax law"], seconds=5).scores
    assert scores == pytest.approx([0.0025, 0.5, 0.9975], abs=1e-4)


def test_a_server_that_does_not_cut_is_given_less(models: ModelServer) -> None:
    models.served.most_tokens = 500
    reranker = reranker_of(models)
    assert reranker.rank("tax", ["tax " * 3_000, "sun"], seconds=5).scores == [1.0, 0.0]
    before = len(models.asked)
    reranker.rank("tax", ["tax " * 3_000, "sun"], seconds=5)
    assert (before, len(models.asked)) == (3, 4)


def test_passages_that_are_too_long_by_name_are_cut_in_the_form_that_is_taken(models: ModelServer) -> None:
    models.served.most_tokens = 500
    models.change = lambda reply: (
        Reply({"error": {"message": "one of the documents exceeds the context length"}}, 400)
        if "context" in str(reply.content)
        else reply
    )
    assert reranker_of(models).rank("tax", ["tax " * 3_000, "sun"], seconds=5).scores == [1.0, 0.0]
    assert "top_n" in models.asked[-1].body


@pytest.mark.parametrize("score", [10**400, -(10**400), "1", True, None, [1]])
def test_scores_that_are_no_numbers_are_refused(models: ModelServer, score: object) -> None:
    models.change = lambda _: Reply({"results": [{"index": 0, "relevance_score": score}]})
    with pytest.raises(RerankerUnavailable, match="no numbers"):
        reranker_of(models).rank("tax", ["tax law"], seconds=5)
