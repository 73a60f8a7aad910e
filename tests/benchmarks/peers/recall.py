"""How many of the ten nearest chunks a peer finds: `python -m tests.benchmarks.peers.recall PEER EXPORTED`.

Run in the environment of PEER (chromadb, lancedb or txtai) on what tests.benchmarks.peers.at_scale exported. Meaning
alone is asked for, with the index that the peer's module makes, and compared with the nearest by all cosines.
"""

import importlib
import sys
from pathlib import Path
from statistics import fmean

import numpy as np

from tests.benchmarks.peers.exported import SHOWN, Exported, Search, load


def main(peer: str, exported: Path) -> None:
    """Print the share."""
    given = load(exported)
    nearest: Search = importlib.import_module(f"tests.benchmarks.peers.peer_{peer}").nearest(given)
    print(f"{peer}: {fmean(_shares(given, nearest)):.3f} of the {SHOWN} nearest, {len(given.questions)} questions")


def _shares(given: Exported, nearest: Search) -> list[float]:
    unit = given.vectors / np.linalg.norm(given.vectors, axis=1, keepdims=True)
    shares = []
    for question, vector in zip(given.questions, given.question_vectors, strict=True):
        exactly = np.argsort(-(unit @ vector))[:SHOWN].tolist()
        shares.append(len({*exactly} & {*nearest(question["text"], vector, SHOWN)}) / SHOWN)
    return shares


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
