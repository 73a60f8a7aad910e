"""A judge tells what is relevant, within its time; what it cannot tell is left as it was."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event

import pytest

from chalicelib.platform.ports import Ranking
from chalicelib.search.model import LaneState
from chalicelib.search.rerank import Judged, RerankRules, judge, passage_text
from tests.fixtures.language_models import WordReranker


@dataclass
class Judge:
    """Says what it was told to say, once it may."""

    scores: Sequence[float]
    holds: Event | None = None
    name: str = "judge/1"

    def rank(self, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
        assert (question, seconds > 0, all(passages)) == ("?", True, True)
        if self.holds is not None:
            self.holds.wait(10)
        return Ranking(self.scores, 7)


def judged(*scores: float) -> Judged:
    return judge("?", ["text"] * len(scores), reranker=Judge(scores), rules=RerankRules(least=0.05))


def kept_of(verdict: Judged, *, candidates: int) -> list[int]:
    return [place for place in range(candidates) if verdict.is_kept(place)]


def test_relevances_are_by_place() -> None:
    verdict = judged(0.2, 0.9)
    assert [verdict.relevance_of(place) for place in range(3)] == [0.2, 0.9, None]
    assert (verdict.report.state, verdict.tokens, verdict.is_weak) == (LaneState.OK, 7, False)


def test_what_is_irrelevant_is_dropped_and_what_was_not_judged_stays() -> None:
    assert kept_of(judged(0.04, 0.05, 0.0), candidates=5) == [1, 3, 4]


def test_where_all_are_irrelevant_none_is_dropped_and_it_is_said() -> None:
    verdict = judged(0.01, 0.0, 0.04)
    assert kept_of(verdict, candidates=3) == [0, 1, 2]
    assert verdict.is_weak


def test_nothing_is_asked_about_nothing() -> None:
    words = WordReranker()
    verdict = judge("?", [], reranker=words, rules=RerankRules())
    assert (words.asked, verdict.is_weak, verdict.report.state) == ([], False, LaneState.OK)


def test_a_passage_without_an_end_is_cut() -> None:
    words = WordReranker()
    judge("tea", ["x" * 10**6], reranker=words, rules=RerankRules())
    assert [len(passage) for _, passages in words.asked for passage in passages] == [8000]


def test_a_reranker_out_of_reach_judges_nothing_and_it_is_said_why() -> None:
    verdict = judge("?", ["a", "b"], reranker=WordReranker(is_down=True), rules=RerankRules())
    assert kept_of(verdict, candidates=2) == [0, 1]
    assert (verdict.report.state, verdict.report.reason) == (LaneState.DROPPED, "The reranker is out of reach")
    assert not verdict.is_weak


@pytest.mark.parametrize("scores", [[0.5], [0.5, 0.5, 0.5], [0.5, float("nan")], [float("inf"), 0.5]])
def test_judgements_that_are_no_numbers_for_the_passages_are_left_alone(scores: Sequence[float]) -> None:
    verdict = judge("?", ["a", "b"], reranker=Judge(scores), rules=RerankRules())
    assert (verdict.relevances, verdict.report.state) == ((), LaneState.DROPPED)


def test_scores_beyond_the_scale_are_its_ends() -> None:
    assert judged(7.5, -1.0).relevances == [1.0, 0.0]


def test_a_judge_that_hangs_is_not_waited_for() -> None:
    answered = Event()
    verdict = judge("?", ["a"], reranker=Judge([1.0], holds=answered), rules=RerankRules(seconds=0.05))
    answered.set()
    assert verdict.relevances == ()
    assert verdict.report.reason == "The reranker did not answer within 0.05 s"


def test_a_passage_is_read_below_title_and_headings() -> None:
    text = passage_text(title="Tea\n guide", heading_path=["Tea guide", "Brewing"], text="Use hot water.")
    assert text == "Tea guide > Brewing\n\nUse hot water."
