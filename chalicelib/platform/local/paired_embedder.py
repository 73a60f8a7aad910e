"""Two embedders as one: a multilingual one for all text, and beside it an English one for what may be English.

Vectors of both are joined, so that the product of two of them is a weighted sum of both models' similarities. Small
models err in different places: their sum ranks better than either (docs/search.md). For text in another language the
English part is nothing, and the multilingual one decides alone.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from pathlib import Path

import numpy as np

from chalicelib.platform.embedding_models import PAIR
from chalicelib.platform.ports import Embedded, Embedder, Vectors

DIMENSIONS = 768
SPACE = f"{PAIR}/{DIMENSIONS}"

_WEIGHT = 1.25
"""What the multilingual part is multiplied by; on the development collections 1.2 to 1.5 made no difference."""

# Each thread has a place of its own to run the model in (GraphRequest), so there are few.
_POOL = ThreadPoolExecutor(max_workers=4, thread_name_prefix="english")

_MEANS = Path(__file__).parent / "model" / "e5_small_q4_means.json"


class PairedEmbedder:
    """Embeds by multilingual-e5-small in 4 bits and by all-MiniLM-L6-v2.

    A text's tokens are those that the multilingual model read, which reads every text: counted once, as an estimate
    counts them.
    """

    space = SPACE
    dimensions = DIMENSIONS
    languages: frozenset[str] | None = None

    def __init__(self, multilingual: Embedder, english: Embedder, *, may_be_english: Callable[[str], bool]) -> None:
        """Of the two each is loaded when it is first asked."""
        self.parts = (multilingual, english)
        self._may_be_english = may_be_english

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole. Raises EmbedderUnavailable."""
        multilingual, english = self.parts
        places = [place for place, text in enumerate(texts) if self._may_be_english(text)]
        found = multilingual.embed_passages(texts)
        known = english.embed_passages([texts[place] for place in places]) if places else None
        return _joined(found, known, places, mean=_means()["passage"])

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises EmbedderUnavailable."""
        multilingual, english = self.parts
        if not self._may_be_english(text):
            return _joined(multilingual.embed_query(text), None, [], mean=_means()["query"])
        # Both at once: a question is too short for one model to make use of two processors.
        known = _POOL.submit(copy_context().run, english.embed_query, text)
        found = multilingual.embed_query(text)
        return _joined(found, known.result(), [0], mean=_means()["query"])


def _joined(found: Embedded, known: Embedded | None, places: Sequence[int], *, mean: Vectors) -> Embedded:
    """Put the parts side by side, as unit rows; a text without meaning for the multilingual model is zero.

    What all vectors of E5 have in common is taken off: they lie within a narrow cone, a question's about another axis
    than a passage's, so that their cosines hardly differ. As in Mu and Viswanath, "All-but-the-Top" (ICLR 2018).
    """
    has_meaning = found.vectors.any(axis=1, keepdims=True)
    rows = np.zeros((len(found.vectors), DIMENSIONS), np.float32)
    half = found.vectors.shape[1]
    rows[:, :half] = _WEIGHT * _unit(np.where(has_meaning, found.vectors - mean, np.float32(0)))
    if known is not None:
        rows[places, half:] = known.vectors
    rows *= has_meaning
    return Embedded(_unit(rows), found.tokens)


@cache
def _means() -> dict[str, Vectors]:
    """Read the mean vectors of E5's passages and questions, over texts of five subjects in two languages."""
    said = json.loads(_MEANS.read_text("utf-8"))
    return {purpose: np.array(mean, np.float32) for purpose, mean in said.items()}


def _unit(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12)), np.float32)
