"""Whatever fails, and in whatever order, no text gets the vector of another."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.provider_calls import CallFailed, Outcome
from tests.fixtures.batched_provider import POISON, Provider, embedder_of, likeness
from tests.fixtures.moved_time import MovedTime


@given(
    texts=st.lists(st.sampled_from(["tax", "cat sat", "sun " * 30, f"bad {POISON}", "", "ice", "é ü"]), max_size=24),
    # But for a text said to be too large that is not: it is cut, and its vector is that of its windows.
    failures=st.lists(st.sampled_from([None, None, *sorted({*Outcome} - {Outcome.TOO_LARGE}, key=str)]), max_size=30),
    poison=st.sampled_from([Outcome.REFUSED, Outcome.BROKEN, Outcome.TOO_LARGE]),
    most_words=st.sampled_from([10, 1_000]),
    most_texts=st.sampled_from([1, 3, 100]),
)
def test_whatever_fails_no_text_gets_the_vector_of_another(
    texts: list[str], failures: list[Outcome | None], poison: Outcome, most_words: int, most_texts: int
) -> None:
    provider, by_turn = Provider(), iter(failures)

    def fails(sent: Sequence[str]) -> CallFailed | None:
        outcome = next(by_turn, None)
        if outcome is None and any(POISON in text for text in sent):
            outcome = poison
        if outcome is None and (len(sent) > most_texts or any(len(text.split()) > most_words for text in sent)):
            outcome = Outcome.TOO_LARGE
        return None if outcome is None else CallFailed(outcome, "answered so")

    provider.fails = fails
    try:
        rows = embedder_of(provider, MovedTime()).embed_passages(texts).vectors
    except EmbedderUnavailable:
        assert failures
        return
    found = likeness(rows, texts)
    assert all(score == 1.0 or not row.any() for score, row in zip(found, rows, strict=True))
    if not failures:
        assert found == [0.0 if POISON in text or not text else 1.0 for text in texts]
