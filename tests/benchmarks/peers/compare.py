"""The product beside its peers: `python -m tests.benchmarks.peers.compare FOLDER [COLLECTION...] [--times] [--again]`.

All are given the product's chunks and the product's vectors of chunks and questions, and are asked for whole items by
their best chunk. The peers run in environments of their own, FOLDER/PEER, made from the requirements beside this
module. Their answers are kept in FOLDER/answers, and asked for anew when the chunks have changed, or by --again; the
product is asked every time. --times takes the time of searches as well, which needs a machine at rest.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.evaluation.collection import Questions
from chalicelib.evaluation.measures import Measure
from chalicelib.evaluation.report import Report, Run, evaluate
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from tests.benchmarks.peers.asking import OURS, PEERS, answer_of, spread
from tests.benchmarks.peers.product import RememberingEmbedder, take_in
from tests.benchmarks.retrieval import BM25, COLLECTIONS, DEPTH, cached_embedder, read_collection
from tests.fixtures.indexing import IndexRoom


def main(arguments: Sequence[str]) -> None:
    """Compare on the named collections, or all."""
    given, *names = [argument for argument in arguments if not argument.startswith("--")]
    folder = Path(given).absolute()
    tables = []
    for name in names or BM25:
        answers, report = compare(folder, name, is_again="--again" in arguments, has_times="--times" in arguments)
        tables.append({one.run.name: one.means for one in report.evaluated})
        show(name, report, answers)
    show_means(tables)


def compare(folder: Path, name: str, *, is_again: bool, has_times: bool) -> tuple[Mapping[str, Any], Report]:
    """Ask the product and every peer whose environment there is about one collection."""
    embedder, exported = RememberingEmbedder(cached_embedder()), folder / "exported" / name
    collection = read_collection(COLLECTIONS / name)
    with (
        tempfile.TemporaryDirectory() as home,
        start_postgres(Path(home) / name, binaries=embedded_binaries()) as server,
    ):
        migrate(server.conninfo)
        database = Database(server.conninfo)
        room = IndexRoom(database, embedder)
        answers = {OURS: dict(take_in(collection, room, embedder, exported, has_times=has_times))}
        database.close()
        for peer in PEERS:
            answered = answer_of(peer, folder, exported, server.conninfo, is_again=is_again, has_times=has_times)
            if answered is not None:
                answers[peer] = answered
    embedding = [json.loads(line)["embed_ms"] for line in (exported / "questions.jsonl").read_text().splitlines()]
    for answered in answers.values():
        pairs = zip(answered.get("milliseconds", []), embedding, strict=has_times)
        answered.setdefault("with_embedding", [bare + embed for bare, embed in pairs])
    return answers, evaluate(collection.questions, _runs(collection.questions, answers))


def show(name: str, report: Report, answers: Mapping[str, Any]) -> None:
    """Print one collection as a table: quality, whether a peer differs by more than chance, milliseconds."""
    differences = report.differences()
    print(f"\n{name}: {len(report.questions.texts)} questions\n")
    print("| | nDCG@10 | p | MRR@10 | recall@10 | recall@100 | p50, p95 ms | with embedding | index s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for one in report.evaluated:
        system, means = one.run.name, one.means
        chance = f"{differences[system][Measure.NDCG_10].corrected:.4f}" if system in differences else ""
        first, *others = (f"{means[measure]:.3f}" for measure in Measure)
        answered = answers[system]
        times = [spread(answered.get(kind, [])) for kind in ("milliseconds", "with_embedding")]
        cells = [system, first, chance, *others, *times, f"{answered['index_seconds']:.1f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def show_means(tables: Sequence[Mapping[str, Mapping[Measure, float]]]) -> None:
    """Print the mean over collections of those that answered all."""
    print(f"\nMean over {len(tables)} collections\n")
    print("| | nDCG@10 | MRR@10 | recall@10 | recall@100 |\n| --- | ---: | ---: | ---: | ---: |")
    for system in (OURS, *PEERS):
        if all(system in table for table in tables):
            figures = [f"{fmean(table[system][measure] for table in tables):.3f}" for measure in Measure]
            print(f"| {' | '.join([system, *figures])} |")


def _runs(questions: Questions, answers: Mapping[str, Any]) -> list[Run]:
    return [
        Run(
            name=system,
            depth=DEPTH,
            rankings={query_id: answered["rankings"][query_id] for query_id in questions.texts},
            milliseconds=answered.get("milliseconds", []),
        )
        for system, answered in answers.items()
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
