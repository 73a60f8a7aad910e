"""What every reranker promises, held by the real code of both kinds, over HTTP, to a server of the tests.

The server speaks the providers' protocols as they are documented; its relevance is the share of common words.
"""

import pytest

from chalicelib.platform.aws.bedrock_reranker import BedrockReranker
from chalicelib.platform.errors import RerankerUnavailable
from chalicelib.platform.openai_compatible.reranker import OpenAiReranker
from chalicelib.platform.ports import Reranker
from tests.fixtures.model_answers import Reply
from tests.fixtures.model_server import ModelServer
from tests.fixtures.moved_time import MovedTime
from tests.fixtures.remote_models import bedrock_of, openai_of

PASSAGES = ["the sun", "a tax on train tickets", "", "train tickets"]


@pytest.fixture
def time() -> MovedTime:
    return MovedTime()


@pytest.fixture(params=["openai", "bedrock"])
def each(request: pytest.FixtureRequest, models: ModelServer, time: MovedTime) -> Reranker:
    if request.param == "openai":
        return OpenAiReranker(openai_of(models), "rerank-v3.5", name="openai/rerank-v3.5", pace=time.pace)
    return BedrockReranker(
        bedrock_of(models), "cohere.rerank-v3-5:0", name="bedrock/cohere.rerank-v3-5:0", pace=time.pace
    )


def result(index: object, score: object) -> dict[str, object]:
    """Return a result as both protocols have it."""
    return {"index": index, "relevance_score": score, "relevanceScore": score}


def test_scores_stand_in_the_order_of_the_passages(each: Reranker) -> None:
    ranking = each.rank("tax on train tickets", PASSAGES, seconds=5)
    assert ranking.scores == [0.0, 1.0, 0.0, 0.5]
    assert ranking.tokens > 0


def test_a_hundred_passages_are_ranked_page_by_page(each: Reranker, models: ModelServer) -> None:
    models.served.results_a_page = 30
    ranking = each.rank("tax", [f"tax {n}" if n % 3 else f"sun {n}" for n in range(100)], seconds=5)
    assert ranking.scores == [1.0 if n % 3 else 0.0 for n in range(100)]


@pytest.mark.parametrize(("question", "passages"), [("tax", []), ("tax", ["", "\u200b"]), ("\x00", ["tax"])])
def test_where_nothing_can_be_compared_nobody_is_asked(
    each: Reranker, models: ModelServer, question: str, passages: list[str]
) -> None:
    assert each.rank(question, passages, seconds=5).scores == [0.0] * len(passages)
    assert models.asked == []


def test_a_long_passage_is_cut(each: Reranker, models: ModelServer) -> None:
    ranking = each.rank("tax", ["tax " * 30_000, "sun"], seconds=5)
    assert ranking.scores == [1.0, 0.0]
    assert len(models.asked[-1].raw) < 20_000


def test_scores_are_clipped(each: Reranker, models: ModelServer) -> None:
    models.change = lambda _: Reply({"results": [result(1, 1.0000002), result(0, -0.0000002)]})
    assert each.rank("tax", ["sun", "tax"], seconds=5).scores == [0.0, 1.0]


@pytest.mark.parametrize("results", [[], [result(1, 1.0)]])
def test_no_passage_is_irrelevant_because_it_was_left_out(
    each: Reranker, models: ModelServer, results: list[object]
) -> None:
    models.change = lambda _: Reply({"results": results})
    with pytest.raises(RerankerUnavailable, match=f"gave {len(results)} scores for 2 passages"):
        each.rank("tax", ["sun", "tax"], seconds=5)


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([{"index": 0}], "no numbers"),
        ([result(0, "high")], "no numbers"),
        ([result(0, None)], "no numbers"),
        ([result(0, 0.5), result(0, 0.5)], "double"),
        ([result(2, 0.5)], "unknown"),
        ([result(-1, 0.5)], "unknown"),
        ([result(None, 0.5)], "absent"),
        ([None], "absent"),
        ("many", "no list|absent"),
    ],
)
def test_results_that_cannot_be_placed_are_refused(
    each: Reranker, models: ModelServer, results: object, said: str
) -> None:
    models.change = lambda _: Reply({"results": results})
    with pytest.raises(RerankerUnavailable, match=said):
        each.rank("tax", ["sun", "tax"], seconds=5)


def test_trouble_is_waited_out_within_the_time(each: Reranker, models: ModelServer, time: MovedTime) -> None:
    busy = Reply({}, 429, {"Retry-After": "2", "x-amzn-ErrorType": "ThrottlingException"})
    models.troubles = [busy, "cut"]
    assert each.rank("tax", ["sun", "tax"], seconds=5).scores == [0.0, 1.0]
    assert 2 <= sum(time.slept) < 5


def test_a_silent_server_is_given_up_in_time(each: Reranker, models: ModelServer) -> None:
    models.troubles = ["wait", "drip"]
    with pytest.raises(RerankerUnavailable, match="did not answer in time"):
        each.rank("tax", ["sun", "tax"], seconds=0.1)
