"""The lexical lane beside bm25s: `python -m tests.benchmarks.lexical_reference PYTHON [COLLECTION...]`.

PYTHON is an interpreter that has what `peers/requirements-bm25s.txt` names. bm25s gets whole documents: title and text,
then with the title three times, which is what the lane makes of it.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.evaluation.measures import Measure
from chalicelib.evaluation.report import Report, Run, evaluate
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from tests.benchmarks.retrieval import BM25, COLLECTIONS, DEPTH, Collection, ask, index_collection, read_collection
from tests.fixtures.indexing import IndexRoom

_ROOT = Path(__file__).resolve().parents[2]
_TITLES = {"bm25s": 1, "bm25s, title x 3": 3}


def main(arguments: Sequence[str]) -> None:
    """Compare on the named collections, or all."""
    python, *names = arguments
    print(f"{'collection':28}{'':18}" + "".join(f"{measure.value:>12}" for measure in Measure) + "   lane's gain")
    for name in names or BM25:
        show(name, compare(Path(python).absolute(), name))


def compare(python: Path, name: str) -> Report:
    """Measure both on one collection, the lane first."""
    collection = read_collection(COLLECTIONS / name)
    with (
        tempfile.TemporaryDirectory() as home,
        start_postgres(Path(home) / "postgres", binaries=embedded_binaries()) as server,
    ):
        migrate(server.conninfo)
        database = Database(server.conninfo)
        room = IndexRoom(database)
        lane = ask(collection, room, index_collection(collection, room), Mode.LEXICAL)
        database.close()
    language = "de" if name.endswith("_de") else "en"
    references = [
        ask_reference(python, collection, name=label, language=language, titles=titles)
        for label, titles in _TITLES.items()
    ]
    return evaluate(collection.questions, [lane, *references])


def ask_reference(python: Path, collection: Collection, *, name: str, language: str, titles: int) -> Run:
    """Have bm25s rank the documents, each with its title so many times."""
    given: Mapping[str, object] = {
        "language": language,
        "texts": [" ".join([*[entry["title"]] * titles, entry["text"]]) for entry in collection.documents],
        "questions": list(collection.questions.texts.values()),
    }
    with tempfile.TemporaryDirectory() as folder:
        texts, answers = Path(folder) / "texts.json", Path(folder) / "answers.json"
        texts.write_text(json.dumps(given), "utf-8")
        command = [str(python), "-m", "tests.benchmarks.peers.peer_bm25s", str(texts), str(answers)]
        subprocess.run(command, check=True, cwd=_ROOT)
        ranked = json.loads(answers.read_text("utf-8"))
    rankings = {
        query_id: [collection.documents[number]["_id"] for number in numbers]
        for query_id, numbers in zip(collection.questions.texts, ranked, strict=True)
    }
    return Run(name=name, depth=DEPTH, rankings=rankings, milliseconds=[])


def show(name: str, report: Report) -> None:
    """Print a collection's figures, and what the lane gains over each reference in nDCG@10."""
    differences = report.differences()
    for one in report.evaluated:
        figures = "".join(f"{one.means[measure]:12.4f}" for measure in Measure)
        label = one.run.name
        gain = ""
        if label in differences:
            found = differences[label][Measure.NDCG_10]
            gain = f"   {-found.mean:+.4f}, p {found.corrected:.4f}"
        print(f"{name:28}{label:18}{figures}{gain}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
