"""Two embedders as one."""

from collections.abc import Sequence
from threading import Barrier

import numpy as np
import pytest

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.paired_embedder import DIMENSIONS, PairedEmbedder
from chalicelib.platform.ports import Embedded

_HALF = DIMENSIONS // 2


class HalfEmbedder:
    """Gives each text a random vector of its own that is always the same, none for blank ones; counts its texts."""

    space = "half/384"
    dimensions = _HALF
    languages: frozenset[str] | None = None

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.asked: list[str] = []
        self.is_down = False
        self.meeting: Barrier | None = None

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        if self.is_down:
            raise EmbedderUnavailable("Down for a test.")
        self.asked.extend(texts)
        return Embedded(np.stack([self._vector(text) for text in texts]), tokens=len(texts))

    def embed_query(self, text: str) -> Embedded:
        if self.meeting is not None:
            self.meeting.wait()
        return self.embed_passages([text])

    def _vector(self, text: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
        if not text.strip():
            return np.zeros(_HALF, np.float32)
        row = np.random.default_rng([self.seed, *text.encode()]).normal(size=_HALF)
        return np.asarray(row / np.linalg.norm(row), np.float32)


@pytest.fixture
def halves() -> tuple[HalfEmbedder, HalfEmbedder]:
    return HalfEmbedder(1), HalfEmbedder(2)


@pytest.fixture
def pair(halves: tuple[HalfEmbedder, HalfEmbedder]) -> PairedEmbedder:
    return PairedEmbedder(*halves, may_be_english=lambda text: not text.startswith("de:"))


def test_rows_are_of_length_one_and_a_text_is_counted_once(pair: PairedEmbedder) -> None:
    embedded = pair.embed_passages(["one", "de: zwei", "three"])
    assert embedded.vectors.shape == (3, DIMENSIONS)
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert embedded.tokens == 3
    assert pair.embed_query("one").tokens == pair.embed_query("de: zwei").tokens == 1


def test_the_english_model_reads_what_may_be_english_alone(
    pair: PairedEmbedder, halves: tuple[HalfEmbedder, HalfEmbedder]
) -> None:
    vectors = pair.embed_passages(["de: eins", "two", "de: drei", "four"]).vectors
    assert halves[1].asked == ["two", "four"]
    assert [bool(row[_HALF:].any()) for row in vectors] == [False, True, False, True]
    pair.embed_query("de: frage")
    assert halves[1].asked == ["two", "four"]
    assert not pair.embed_query("de: frage").vectors[0, _HALF:].any()


def test_each_row_is_that_of_its_text_whatever_stands_beside_it(pair: PairedEmbedder) -> None:
    texts = ["one", "de: zwei", "three", "de: vier", "five"]
    together = pair.embed_passages(texts).vectors
    alone = np.concatenate([pair.embed_passages([text]).vectors for text in texts])
    assert together == pytest.approx(alone, abs=1e-6)


def test_what_a_model_says_of_all_texts_is_taken_off(
    pair: PairedEmbedder, halves: tuple[HalfEmbedder, HalfEmbedder]
) -> None:
    first, second = pair.embed_passages(["de: eins", "de: zwei"]).vectors
    raw = halves[0].embed_passages(["de: eins", "de: zwei"]).vectors
    assert not np.allclose(first[:_HALF] / np.linalg.norm(first), raw[0], atol=1e-2)
    # What they have in common here is the mean that was taken off of both.
    assert float(first @ second) > float(raw[0] @ raw[1]) + 0.2


def test_a_text_without_meaning_is_zero(pair: PairedEmbedder) -> None:
    vectors = pair.embed_passages([" ", "word"]).vectors
    assert [bool(row.any()) for row in vectors] == [False, True]
    assert not pair.embed_query(" ").vectors.any()


@pytest.mark.parametrize("down", [0, 1])
def test_without_one_of_the_models_there_is_no_vector(
    pair: PairedEmbedder, halves: tuple[HalfEmbedder, HalfEmbedder], down: int
) -> None:
    halves[down].is_down = True
    with pytest.raises(EmbedderUnavailable):
        pair.embed_passages(["text"])
    with pytest.raises(EmbedderUnavailable):
        pair.embed_query("text")


def test_a_question_is_read_by_both_models_at_once(
    pair: PairedEmbedder, halves: tuple[HalfEmbedder, HalfEmbedder]
) -> None:
    # Whoever comes first waits for the other one, and one after the other they would never meet.
    meeting = Barrier(2, timeout=10)
    for half in halves:
        half.meeting = meeting
    assert pair.embed_query("question").vectors[0, _HALF:].any()
