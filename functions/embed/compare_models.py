"""Compares vectors with those of the reference: by cosine, and by how well they rank a small collection."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

import numpy as np

from chalicelib.platform.local.model.windows import Purpose
from chalicelib.platform.ports import Vectors
from functions.embed.model_card import Fidelity
from functions.embed.served_model import Precision

LEAST_COSINE: Mapping[Precision, float] = {"f32": 0.9999, "bf16": 0.999, "f16": 0.999}
"""What a precision must reach; f32 differs from the reference by the order of additions alone."""
MOST_NDCG_LOST = 0.01
COLLECTION = Path(__file__).with_name("collection.json")
"""What the build compares on unless told otherwise."""

_DEPTH = 10

Embed = Callable[[Sequence[str], Purpose], Vectors]


@dataclass(frozen=True, slots=True)
class Collection:
    """Passages and questions by id, and which passages answer a question. All short enough for one window."""

    passages: Mapping[str, str]
    queries: Mapping[str, str]
    answers: Mapping[str, frozenset[str]]


def read_collection(path: Path) -> Collection:
    """Read a collection: {"passages": {id: text}, "queries": {id: text}, "answers": {query id: [passage id]}}."""
    read = json.loads(path.read_text("utf-8"))
    answers = {query: frozenset(passages) for query, passages in read["answers"].items()}
    return Collection(read["passages"], read["queries"], answers)


def compare(reference: Embed, served: Embed, collection: Collection, *, precision: Precision) -> Fidelity:
    """Return how near `served` comes to `reference`; a negative loss is a gain."""
    expected, found = ([embed(list(collection.passages.values()), "passage")] for embed in (reference, served))
    expected.append(reference(list(collection.queries.values()), "query"))
    found.append(served(list(collection.queries.values()), "query"))
    cosines = [(one * other).sum(axis=1) for one, other in zip(expected, found, strict=True)]
    lost = _ndcg(expected[0], expected[1], collection) - _ndcg(found[0], found[1], collection)
    return Fidelity(precision=precision, least_cosine=float(np.concatenate(cosines).min()), ndcg_lost=lost)


def is_faithful(fidelity: Fidelity) -> bool:
    """Tell whether a precision may be served."""
    near = fidelity.least_cosine >= LEAST_COSINE[fidelity.precision]
    return near and fidelity.ndcg_lost <= MOST_NDCG_LOST


def _ndcg(passages: Vectors, queries: Vectors, collection: Collection) -> float:
    """Return the mean nDCG@10 with relevance 0 or 1 (Järvelin and Kekäläinen, 2002)."""
    ids = list(collection.passages)
    gains = []
    for query, row in zip(collection.queries, queries, strict=True):
        best = np.argsort(-(passages @ row), kind="stable")[:_DEPTH]
        answers = collection.answers[query]
        gained = sum(1 / log2(place + 2) for place, index in enumerate(best) if ids[index] in answers)
        gains.append(gained / sum(1 / log2(place + 2) for place in range(min(len(answers), _DEPTH))))
    return float(np.mean(gains))
