"""What 8-bit whole numbers cost in ranking: `python -m tests.benchmarks.embedding_precision [COLLECTION...]`.

Documents are embedded whole and ranked by cosine alone, in f32 and in i8 of the same weights. Printed are the least
cosine between the two vectors of a text, how much of the first ten of a question is the same, and both nDCG@10.
"""

import sys
from collections.abc import Sequence

import numpy as np

from chalicelib.evaluation.measures import Measure
from chalicelib.evaluation.report import Run, evaluate
from chalicelib.platform.local.model.catalogue import E5_Q4, MINILM, LocalModel
from chalicelib.platform.local.model.openvino_runtime import Precision
from chalicelib.platform.ports import Vectors
from tests.benchmarks.embedding import load
from tests.benchmarks.retrieval import COLLECTIONS, DEPTH, Collection, read_collection

_FIRST = 10
_COLLECTIONS = ("adi", "cranfield", "codebase_chunks")


def main(names: Sequence[str]) -> None:
    """Print a line for each collection and model."""
    print("| collection | model | least cosine | same of ten | nDCG@10 f32 | nDCG@10 i8 | difference (95 %) |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in names or _COLLECTIONS:
        collection = read_collection(COLLECTIONS / name)
        for model in (MINILM, E5_Q4):
            print(f"| {name} | {model.name} | {_compared(collection, model)} |", flush=True)


def _compared(collection: Collection, model: LocalModel) -> str:
    precisions: tuple[Precision, ...] = ("f32", "i8")
    (asked, said), (asked_i8, said_i8) = (_embed(collection, model, precision) for precision in precisions)
    runs = [_run(collection, "f32", asked @ said.T), _run(collection, "i8", asked_i8 @ said_i8.T)]
    cosines = np.concatenate([(asked * asked_i8).sum(axis=1), (said * said_i8).sum(axis=1)])
    same = np.mean([_same(runs[0].rankings[key], runs[1].rankings[key]) for key in runs[0].rankings])
    report = evaluate(collection.questions, runs)
    first, second = (one.means[Measure.NDCG_10] for one in report.evaluated)
    lost = report.differences()["i8"][Measure.NDCG_10]
    least = cosines[cosines > 0].min()
    return f"{least:.4f} | {same:.2f} | {first:.4f} | {second:.4f} | {lost.low:+.4f} to {lost.high:+.4f}"


def _embed(collection: Collection, model: LocalModel, precision: Precision) -> tuple[Vectors, Vectors]:
    engine = load(model, precision)
    said = engine.embed([f"{document['title']}\n\n{document['text']}" for document in collection.documents], "passage")
    return engine.embed(list(collection.questions.texts.values()), "query").vectors, said.vectors


def _run(collection: Collection, name: str, cosines: Vectors) -> Run:
    ids = [document["_id"] for document in collection.documents]
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :DEPTH]
    rankings = {key: [ids[at] for at in row] for key, row in zip(collection.questions.texts, best, strict=True)}
    return Run(name=name, depth=DEPTH, rankings=rankings, milliseconds=[0.0] * len(rankings))


def _same(one: Sequence[str], other: Sequence[str]) -> float:
    return len(set(one[:_FIRST]) & set(other[:_FIRST])) / _FIRST


if __name__ == "__main__":
    main(sys.argv[1:])
