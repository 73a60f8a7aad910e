"""Each text gets the vector of exactly that text, or zero for a reason of its own, or nobody gets anything."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from chalicelib.platform.embedding_batches import Limits
from chalicelib.platform.embedding_work import Answer
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.provider_calls import CallFailed, Outcome
from tests.fixtures.batched_provider import DIMENSIONS, POISON, Provider, embedder_of, likeness, poisoned
from tests.fixtures.model_answers import vector_of
from tests.fixtures.moved_time import MovedTime


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def time() -> MovedTime:
    return MovedTime()


def failing_in_turn(*failures: CallFailed | None) -> Callable[[Sequence[str]], CallFailed | None]:
    waiting: Iterator[CallFailed | None] = iter(failures)
    return lambda _: next(waiting, None)


def test_texts_go_in_batches_by_number_and_by_tokens(provider: Provider, time: MovedTime) -> None:
    texts = [f"word{number} and more" for number in range(20)]
    embedded = embedder_of(provider, time).embed_passages(texts)
    assert [len(call) for call in provider.calls] == [8, 8, 4]
    assert likeness(embedded.vectors, texts) == [1.0] * 20
    assert embedded.tokens == sum(map(len, texts))
    provider.calls.clear()
    embedder_of(provider, time, Limits(8, 100, 1_000, 3_000)).embed_passages(["x" * 150] * 5)
    assert [len(call) for call in provider.calls] == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("text", ["", " \t\n", "\x00", "\u200b"])
def test_a_text_without_meaning_is_zero_without_a_call(provider: Provider, time: MovedTime, text: str) -> None:
    embedded = embedder_of(provider, time).embed_passages([text, "tax", text])
    assert likeness(embedded.vectors, ["tax"] * 3) == [0.0, 1.0, 0.0]
    assert provider.calls == [["tax"]]


def test_no_texts_make_no_call(provider: Provider, time: MovedTime) -> None:
    embedded = embedder_of(provider, time).embed_passages([])
    assert (embedded.vectors.shape, embedded.tokens, provider.calls) == ((0, DIMENSIONS), 0, [])


def test_a_busy_provider_is_asked_again_when_it_wants_to_be(provider: Provider, time: MovedTime) -> None:
    provider.fails = failing_in_turn(CallFailed(Outcome.BUSY, "is busy", wait=7.5), CallFailed(Outcome.BUSY, "is busy"))
    embedded = embedder_of(provider, time).embed_passages(["tax"])
    assert likeness(embedded.vectors, ["tax"]) == [1.0]
    assert sum(time.slept) == pytest.approx(7.5 + 1.0)


def test_a_wait_beyond_the_deadline_is_left_to_whoever_asks_again(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda _: CallFailed(Outcome.BUSY, "answered 429", wait=90.0)
    with pytest.raises(EmbedderUnavailable, match="answered 429") as caught:
        embedder_of(provider, time).embed_passages(["tax"])
    assert caught.value.members == {"space": "tests/words/16", "input_tokens": 0, "retry_after": 90.0}
    assert (time.slept, len(provider.calls)) == ([], 1)


def test_a_provider_that_stays_busy_is_given_up_at_the_deadline(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda _: CallFailed(Outcome.BUSY, "answered 429")
    with pytest.raises(EmbedderUnavailable):
        embedder_of(provider, time).embed_passages(["tax"])
    assert 20 < time.seconds < 45


def test_what_was_embedded_is_not_asked_for_again_when_the_rest_fails(provider: Provider, time: MovedTime) -> None:
    texts = [f"word{number}" for number in range(16)]
    provider.fails = failing_in_turn(None, CallFailed(Outcome.BROKEN, "answered 500"))
    embedded = embedder_of(provider, time).embed_passages(texts)
    assert likeness(embedded.vectors, texts) == [1.0] * 16
    assert provider.calls == [texts[:8], texts[8:], texts[8:]]


def test_a_broken_provider_is_told_from_a_broken_text(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda _: CallFailed(Outcome.BROKEN, "answered 500")
    with pytest.raises(EmbedderUnavailable, match="answered 500, whatever the text"):
        embedder_of(provider, time).embed_passages([f"word{number}" for number in range(8)])
    assert [len(call) for call in provider.calls] == [8, 8, 8, 1, 1, 1]


def test_a_question_does_not_wait_for_the_culprit_to_be_found(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda _: CallFailed(Outcome.BROKEN, "is out of reach")
    with pytest.raises(EmbedderUnavailable, match="is out of reach"):
        embedder_of(provider, time).embed_query("tax")
    assert (len(provider.calls), sum(time.slept)) == (2, 0.5)


def test_a_question_that_is_refused_is_zero(provider: Provider, time: MovedTime) -> None:
    provider.fails = poisoned(Outcome.REFUSED)
    assert not embedder_of(provider, time).embed_query(f"bad {POISON}").vectors.any()


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.BROKEN, Outcome.TOO_LARGE])
def test_a_text_that_is_never_taken_is_zero_and_the_others_are_not(
    provider: Provider, time: MovedTime, outcome: Outcome
) -> None:
    texts = ["tax", "cat", f"bad {POISON}", "dog", "sun", f"worse {POISON}"]
    provider.fails = poisoned(outcome)
    embedded = embedder_of(provider, time).embed_passages(texts)
    assert likeness(embedded.vectors, texts) == [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]


def test_no_text_is_blamed_for_trouble_that_has_passed(provider: Provider, time: MovedTime) -> None:
    provider.fails = failing_in_turn(*[CallFailed(Outcome.BROKEN, "answered 502")] * 3)
    assert likeness(embedder_of(provider, time).embed_passages(["tax"]).vectors, ["tax"]) == [1.0]


def test_a_provider_that_refuses_everything_makes_nothing_zero(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda _: CallFailed(Outcome.REFUSED, "answered 400", said="no such model")
    with pytest.raises(EmbedderUnavailable, match=r"answered 400 \(no such model\), whatever the text"):
        embedder_of(provider, time).embed_passages(["tax", "cat"])


def test_what_was_embedded_before_a_failure_is_counted(provider: Provider, time: MovedTime) -> None:
    provider.fails = failing_in_turn(None, CallFailed(Outcome.DENIED, "answered 401"))
    texts = [f"word{number:02}" for number in range(16)]
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder_of(provider, time).embed_passages(texts)
    assert caught.value.members["input_tokens"] == 8 * 6


def test_a_denial_is_not_tried_again(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda _: CallFailed(Outcome.DENIED, "answered 401")
    with pytest.raises(EmbedderUnavailable, match="answered 401"):
        embedder_of(provider, time).embed_passages(["tax", "cat"])
    assert len(provider.calls) == 1


def test_a_text_that_is_too_long_is_the_mean_of_its_windows_by_tokens(provider: Provider, time: MovedTime) -> None:
    text = " ".join(["head"] * 60 + ["tail"] * 20)
    provider.fails = lambda texts: (
        CallFailed(Outcome.TOO_LARGE, "answered 400") if any(len(text.split()) > 20 for text in texts) else None
    )
    embedded = embedder_of(provider, time).embed_passages(["cat", text, "dog"])
    expected = 3 * vector_of("head", DIMENSIONS) + vector_of("tail", DIMENSIONS)
    assert embedded.vectors[1] @ (expected / np.linalg.norm(expected)) == pytest.approx(1, abs=0.01)
    assert likeness(embedded.vectors[[0, 2]], ["cat", "dog"]) == [1.0, 1.0]


def test_windows_count_by_their_tokens(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda texts: (
        CallFailed(Outcome.TOO_LARGE, "answered 400") if any(len(text.split()) > 30 for text in texts) else None
    )
    embedded = embedder_of(provider, time).embed_passages(["head " * 24 + "\n\n" + "tail " * 16])
    assert [len(texts[0].split()) for texts in provider.calls] == [40, 24, 16]
    expected = 3 * vector_of("head", DIMENSIONS) + 2 * vector_of("tail", DIMENSIONS)
    assert embedded.vectors[0] @ (expected / np.linalg.norm(expected)) == pytest.approx(1, abs=0.002)


def test_a_text_beyond_the_known_limit_is_cut_before_it_is_sent(provider: Provider, time: MovedTime) -> None:
    embedded = embedder_of(provider, time).embed_passages(["sun " * 2_000 + "moon"])
    assert all(len(text) <= 3_000 for call in provider.calls for text in call)
    assert sum(text.count("sun") + text.count("moon") for call in provider.calls for text in call) == 2_001
    assert np.linalg.norm(embedded.vectors[0]) == pytest.approx(1)


def test_a_long_text_that_is_refused_without_a_reason_is_tried_in_windows(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda texts: (
        CallFailed(Outcome.REFUSED, "answered 400") if any(len(text) > 600 for text in texts) else None
    )
    embedded = embedder_of(provider, time).embed_passages(["sun " * 400])
    assert likeness(embedded.vectors, ["sun"]) == [1.0]


def test_fewer_texts_are_sent_once_their_number_was_too_large(provider: Provider, time: MovedTime) -> None:
    embedder = embedder_of(provider, time)
    provider.fails = lambda texts: CallFailed(Outcome.TOO_LARGE, "answered 413") if len(texts) > 4 else None
    texts = [f"word{number}" for number in range(8)]
    embedder.embed_passages(texts)
    provider.calls.clear()
    assert likeness(embedder.embed_passages(texts).vectors, texts) == [1.0] * 8
    assert [len(call) for call in provider.calls] == [4, 4]


def test_a_long_text_does_not_make_batches_smaller(provider: Provider, time: MovedTime) -> None:
    embedder = embedder_of(provider, time)
    provider.fails = lambda texts: CallFailed(Outcome.TOO_LARGE, "") if any(len(text) > 99 for text in texts) else None
    embedder.embed_passages(["sun", "moon " * 30, "star", "sky"])
    provider.calls.clear()
    embedder.embed_passages([f"word{number}" for number in range(8)])
    assert [len(call) for call in provider.calls] == [8]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda answer: Answer(answer.rows[:-1], 1), "gave 1 vectors for 2 texts"),
        (lambda answer: Answer([*answer.rows, answer.rows[0]], 1), "gave 3 vectors for 2 texts"),
        (lambda answer: Answer([row[:8] for row in answer.rows], 1), "of 8 dimensions where 16 were asked for"),
        (lambda answer: Answer([answer.rows[0], answer.rows[1][:4]], 1), "of 4 dimensions where 16 were asked for"),
        (lambda answer: Answer([row * np.nan for row in answer.rows], 1), "no numbers, whatever the text"),
        (lambda answer: Answer([row * np.inf for row in answer.rows], 1), "no numbers, whatever the text"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_refused_whole(
    provider: Provider, time: MovedTime, change: Callable[[Answer], Answer], said: str
) -> None:
    provider.change = change
    with pytest.raises(EmbedderUnavailable, match=said):
        embedder_of(provider, time).embed_passages(["tax", "cat"])


def test_one_vector_of_no_numbers_harms_its_text_alone(provider: Provider, time: MovedTime) -> None:
    bad = vector_of("bad", DIMENSIONS)
    provider.change = lambda answer: Answer(
        [row * np.nan if np.array_equal(row, bad) else row for row in answer.rows], answer.tokens
    )
    embedded = embedder_of(provider, time).embed_passages(["tax", "bad", "cat"])
    assert likeness(embedded.vectors, ["tax", "bad", "cat"]) == [1.0, 0.0, 1.0]


def test_calls_at_once_keep_each_text_its_vector(provider: Provider, time: MovedTime) -> None:
    texts = [f"word{number} {POISON if number % 7 == 0 else ''}" for number in range(60)]
    provider.fails = poisoned(Outcome.REFUSED)
    embedded = embedder_of(provider, time, Limits(1, 1_000, 1_000, 1_000, calls=8)).embed_passages(texts)
    assert likeness(embedded.vectors, texts) == [0.0 if POISON in text else 1.0 for text in texts]


def test_calls_at_once_end_together_when_one_is_denied(provider: Provider, time: MovedTime) -> None:
    provider.fails = lambda texts: CallFailed(Outcome.DENIED if "word3" in texts else Outcome.BUSY, "answered so")
    with pytest.raises(EmbedderUnavailable):
        embedder_of(provider, time, Limits(1, 1_000, 1_000, 1_000, calls=8)).embed_passages(
            [f"word{number}" for number in range(60)]
        )
    assert len(provider.calls) < 200
