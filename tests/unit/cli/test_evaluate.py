"""`lorebase evaluate` against a server of its own."""

import json
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.served import COMMAND, CommandLine

_DOCUMENTS = {
    "apples": "Apples are picked in autumn and kept in a cool cellar.",
    "bread": "Bread is baked from flour, water, salt and yeast.",
    "trains": "Trains run on rails and stop at stations.",
}
_QUERIES = {"q1": "when are apples picked", "q2": "what is bread baked from", "q3": "zebra"}
_GRADES = {"q1": {"apples": 2}, "q2": {"bread": 1, "nowhere": 1}, "q3": {"trains": 1}}


def collection(folder: Path, documents: Mapping[str, str] = _DOCUMENTS) -> Path:
    folder.mkdir()
    _write(folder / "corpus.jsonl", [{"_id": name, "title": name, "text": text} for name, text in documents.items()])
    questions(folder / "queries.jsonl", folder / "qrels.tsv")
    return folder


def questions(queries: Path, judgements: Path, names: Mapping[str, str] | None = None) -> None:
    _write(queries, [{"_id": query_id, "text": text} for query_id, text in _QUERIES.items()])
    rows = [
        f"{query_id}\t{(names or {}).get(name, name)}\t{grade}\n"
        for query_id, grades in _GRADES.items()
        for name, grade in grades.items()
    ]
    judgements.write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))


def _write(path: Path, lines: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def items_in(served: CommandLine, workspace: str) -> list[Any]:
    return list(served.run("--json", "--workspace", workspace, "list", "--all").json["items"])


def test_collection_is_measured_in_a_workspace_that_is_emptied_afterwards(served: CommandLine) -> None:
    collection(served.cwd / "Small Set")

    ran = served.run("evaluate", "Small Set/", "--config", "words:mode=lexical", "--config", "few:limit=10", "--json")

    assert ran.code == 0, ran.err
    found = ran.json
    assert (found["questions"], found["judgements"], found["reference"]) == (3, 4, "words")
    words, few = found["configurations"]
    assert words["measures"] == {"ndcg@10": 0.5377, "mrr@10": 0.6667, "recall@10": 0.5, "recall@100": 0.5}
    assert set(few["measures"]) == {"ndcg@10", "mrr@10", "recall@10"}
    assert 0 < words["server_ms"]["p50"] < words["latency_ms"]["p50"] <= words["latency_ms"]["p95"]
    assert found["differences"]["few"]["ndcg@10"]["p"] == 1.0
    assert found["flaws"] == [
        {"flaw": "judged documents that are not in the corpus", "count": 1, "examples": ["nowhere"]}
    ]
    assert items_in(served, "evaluation-small-set") == []
    assert served.run("--json", "--workspace", "evaluation-small-set", "trash").json["items"] == []

    shown = served.run("evaluate", "Small Set", "--keep", "--details")
    assert shown.code == 0, shown.err
    assert [line.split("\t") for line in shown.out.splitlines()[2:4]] == [
        ["CONFIGURATION", "nDCG@10", "MRR@10", "recall@10", "recall@100", "p50 ms", "p95 ms"],
        ["lexical", "0.538", "0.667", "0.500", "0.500", *shown.out.splitlines()[3].split("\t")[5:]],
    ]
    assert "1 judged documents that are not in the corpus: nowhere" in shown.err
    kept = items_in(served, "evaluation-small-set")
    assert [item["path"] for item in kept] == [f"corpus/{number:08}" for number in range(3)]

    assert served.run("evaluate", "Small Set", "--keep").code == 0
    assert [item["id"] for item in items_in(served, "evaluation-small-set")] == [item["id"] for item in kept]

    _write(served.cwd / "Small Set" / "corpus.jsonl", [{"_id": "bread", "text": "Bread is baked."}, {"_id": "empty"}])
    other = served.run("evaluate", "Small Set", "--keep", "--json")
    assert (other.code, [(flaw["flaw"], flaw["count"]) for flaw in other.json["flaws"]]) == (
        0,
        [("judged documents that are not in the corpus", 3), ("documents without text", 1)],
    )
    assert [item["title"] for item in items_in(served, "evaluation-small-set")] == ["Untitled", "Untitled"]


def test_own_documents_are_judged_by_path_or_id(served: CommandLine) -> None:
    folder = served.cwd / "docs"
    folder.mkdir()
    for name, text in _DOCUMENTS.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    assert served.run("upload", "docs").code == 0
    bread = served.run("--json", "show", "docs/bread.md").json["id"]
    questions(
        served.cwd / "queries.jsonl",
        served.cwd / "judgements.tsv",
        {"apples": "docs/apples.md", "bread": bread, "trains": "docs/trains.md"},
    )

    given = ("evaluate", "--queries", "queries.jsonl", "--judgements", "judgements.tsv")
    ran = served.run("--json", *given, "--compare", "lexical", "--details")

    assert ran.code == 0, ran.err
    assert ran.json["configurations"][0]["measures"]["mrr@10"] == 0.6667
    assert ran.json["flaws"] == [
        {"flaw": "judged documents that you do not find in the workspace", "count": 1, "examples": ["nowhere"]}
    ]
    assert len(items_in(served, "main")) == 3

    read_only = served.run("--json", "keys", "create", "reader").json["token"]
    assert served.run(*given, LOREBASE_KEY=read_only).code == 0
    refused = served.run("evaluate", str(collection(served.cwd / "set")), LOREBASE_KEY=read_only)
    assert (refused.code, refused.out) == (4, "")
    assert "only admins of the organization can make one" in refused.err
    assert [workspace["slug"] for workspace in served.run("--json", "workspaces", "list").json["workspaces"]] == [
        "main"
    ]


def test_nothing_is_made_or_deleted_for_what_cannot_be_evaluated(served: CommandLine) -> None:
    folder = collection(served.cwd / "set")
    for arguments, said in (
        (["--config", "odd:no_such=1"], "the configuration odd: The body was refused at #/no_such: There is no such"),
        (["--compare", "semantic"], "embedder"),
    ):
        refused = served.run("evaluate", "set", *arguments)
        assert (refused.code, refused.out) == (1, "")
        assert said in refused.err
        assert items_in(served, "evaluation-set") == []

    served.run("workspaces", "create", "evaluation-theirs", "--name", "Evaluation of suppliers")
    (served.cwd / "a.md").write_text("# Theirs\n")
    served.run("--workspace", "evaluation-theirs", "upload", "a.md")
    folder.rename(served.cwd / "theirs")
    refused = served.run("evaluate", "theirs")
    assert refused.code == 1
    assert "was not made for evaluations" in refused.err
    assert len(items_in(served, "evaluation-theirs")) == 1


@pytest.mark.slow
def test_interruption_leaves_nothing_behind(served: CommandLine) -> None:
    collection(served.cwd / "set", {f"d{number}": f"Document number {number}." for number in range(1500)})
    with subprocess.Popen(
        [*COMMAND, "evaluate", "set", "--jobs", "2"],
        cwd=served.cwd,
        env=served.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as evaluating:
        deadline = time.monotonic() + 60
        while not served.run("--json", "--workspace", "evaluation-set", "list").out.count('"id"'):
            assert time.monotonic() < deadline
        evaluating.send_signal(signal.SIGINT)
        out, err = evaluating.communicate(timeout=60)

    assert (evaluating.returncode, out) == (130, "")
    assert "Emptying evaluation-set." in err
    assert items_in(served, "evaluation-set") == []
    assert served.run("--json", "--workspace", "evaluation-set", "trash").json["items"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give a COLLECTION, or both"),
        (["set", "--queries", "set/queries.jsonl"], "not both"),
        (["--queries", "set/queries.jsonl"], "Give a COLLECTION, or both"),
        (["set", "--compare", "lexical,best"], "no valid"),
        (["nowhere"], "does not exist"),
    ],
)
def test_wrong_usage_is_told(command_line: CommandLine, arguments: list[str], said: str) -> None:
    collection(command_line.cwd / "set")
    ran = command_line.run("evaluate", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err.replace("not a valid", "no valid").replace("is not valid", "no valid")


def test_broken_collection_is_told_before_a_server_is_asked(command_line: CommandLine) -> None:
    folder = collection(command_line.cwd / "set")
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write('{"_id": "apples"}\n')
    ran = command_line.run("evaluate", "set", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert (ran.problem["type"], ran.problem["line"]) == ("urn:lorebase:problem:collection-unreadable", 4)
