"""What a peer is given, and how it answers. Knows nothing of the project, since a peer has an environment of its own.

A peer's module calls `run(index)`: `index(exported)` puts the chunks in and returns `search(text, vector, k)`, which
returns the numbers of the best `k` chunks. The command line is FOLDER ANSWERS [--times].
"""

import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

DEPTH = 100
SHOWN = 10
_WARMING = 20
INDEXED_FROM = 10_000
"""Chunks from which on a peer that compares all vectors by default is given the vector index that it offers."""

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
Search = Callable[[str, Vector, int], Sequence[int]]


@dataclass(frozen=True)
class Exported:
    """The chunks of a collection with their vectors, in one order, and the questions with theirs."""

    name: str
    items: Sequence[str]
    texts: Sequence[str]
    vectors: Vector
    questions: Sequence[dict[str, Any]]
    question_vectors: Vector

    @property
    def is_german(self) -> bool:
        return self.name.endswith("_de")

    @property
    def depth(self) -> int:
        """How many chunks to ask for, so that about 100 items are among them."""
        return min(math.ceil(DEPTH * len(self.items) / len(set(self.items))), len(self.items))


def load(folder: Path) -> Exported:
    chunks, questions = (
        [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("chunks.jsonl", "questions.jsonl")
    )
    return Exported(
        folder.name,
        [chunk["item"] for chunk in chunks],
        [chunk["text"] for chunk in chunks],
        np.load(folder / "vectors.npy"),
        questions,
        np.load(folder / "question_vectors.npy"),
    )


def answer(exported: Exported, search: Search) -> dict[str, list[str]]:
    """Ask all questions for 100 items, to see how good they are."""
    rankings = {}
    for question, vector in zip(exported.questions, exported.question_vectors, strict=True):
        chunks = search(question["text"], vector, exported.depth)
        rankings[question["_id"]] = list(dict.fromkeys(exported.items[chunk] for chunk in chunks))[:DEPTH]
    return rankings


def times(exported: Exported, search: Search) -> list[float]:
    """Ask all questions for 10 hits, warm, to see how many milliseconds each takes."""
    asked = list(zip(exported.questions, exported.question_vectors, strict=True))
    for question, vector in asked[:_WARMING]:
        search(question["text"], vector, SHOWN)
    milliseconds = []
    for question, vector in asked:
        started = time.perf_counter()
        search(question["text"], vector, SHOWN)
        milliseconds.append((time.perf_counter() - started) * 1000)
    return milliseconds


def run(index: Callable[[Exported], Search]) -> None:
    exported = load(Path(sys.argv[1]))
    started = time.perf_counter()
    search = index(exported)
    indexing = time.perf_counter() - started
    answered: dict[str, Any] = {"rankings": answer(exported, search), "index_seconds": indexing}
    if "--times" in sys.argv:
        answered["milliseconds"] = times(exported, search)
    Path(sys.argv[2]).write_text(json.dumps(answered), "utf-8")
