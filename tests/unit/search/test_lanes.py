"""Lanes that are late or out of reach."""

from threading import Event

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.search.lanes import LaneSkipped, run_lanes
from chalicelib.search.model import Candidate, Lane, LaneState


def test_a_late_lane_is_dropped_in_time_and_the_other_answers() -> None:
    never = Event()

    def hang() -> list[Candidate]:
        never.wait(20)
        return []

    answers = run_lanes({Lane.LEXICAL: list, Lane.SEMANTIC: hang}, seconds=0.2)
    never.set()
    assert answers[Lane.LEXICAL].report.state is LaneState.OK
    late = answers[Lane.SEMANTIC].report
    assert late.state is LaneState.DROPPED
    assert late.reason is not None
    assert "0.2 s" in late.reason


def test_a_lane_out_of_reach_is_dropped_with_its_reason() -> None:
    def fail() -> list[Candidate]:
        raise EmbedderUnavailable("Nothing there.")

    def skip() -> list[Candidate]:
        raise LaneSkipped("Nothing to do")

    answers = run_lanes({Lane.SEMANTIC: fail, Lane.LEXICAL: skip}, seconds=5.0)
    assert answers[Lane.SEMANTIC].report.reason == "The embedder is out of reach"
    assert answers[Lane.LEXICAL].report.state is LaneState.SKIPPED
