"""A served form that strays from its reference is refused, by its vectors or by what it ranks."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.local.model.windows import Purpose
from chalicelib.platform.ports import Vectors
from functions.embed.compare_models import COLLECTION, Collection, compare, is_faithful, read_collection

ROOM = Collection(
    passages={"a": "east", "b": "north", "c": "west"},
    queries={"q": "eastward", "r": "northward"},
    answers={"q": frozenset({"a"}), "r": frozenset({"b"})},
)
DIRECTIONS = {"east": 0.0, "north": 1.57, "west": 3.14, "eastward": 0.2, "northward": 1.4}


def embed(texts: Sequence[str], _purpose: Purpose, *, turn: float = 0.0) -> Vectors:
    angles = np.array([DIRECTIONS[text] + turn * (text == "eastward") for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_the_same_vectors_lose_nothing() -> None:
    fidelity = compare(embed, embed, ROOM, precision="f32")
    assert fidelity.least_cosine == pytest.approx(1)
    assert fidelity.ndcg_lost == 0
    assert is_faithful(fidelity)


def test_what_ranks_worse_and_what_points_elsewhere_is_refused() -> None:
    fidelity = compare(embed, lambda texts, purpose: embed(texts, purpose, turn=2.0), ROOM, precision="bf16")
    assert fidelity.least_cosine == pytest.approx(np.cos(2.0), abs=1e-6)
    assert fidelity.ndcg_lost == pytest.approx((1 - 1 / np.log2(4)) / 2, abs=1e-6)
    assert not is_faithful(fidelity)


def test_a_slight_turn_is_too_much_for_f32_alone() -> None:
    slight = [
        compare(embed, lambda texts, purpose: embed(texts, purpose, turn=0.03), ROOM, precision=precision)
        for precision in ("f32", "bf16")
    ]
    assert [is_faithful(fidelity) for fidelity in slight] == [False, True]


def test_the_collection_of_the_build_names_answers_that_exist() -> None:
    collection = read_collection(COLLECTION)
    assert set(collection.answers) == set(collection.queries)
    assert all(answers and answers <= set(collection.passages) for answers in collection.answers.values())
    assert json.loads(Path(COLLECTION).read_text("utf-8"))["passages"]["rail"]
