"""Collections as they lie in folders, sound and broken."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from chalicelib.evaluation import lines
from chalicelib.evaluation.collection import CorpusEntry, corpus_of, fingerprint_of, questions_of, read_corpus
from chalicelib.evaluation.errors import CollectionUnreadable, NothingJudged
from chalicelib.evaluation.judgements import read_judgements

_QUERIES: list[dict[str, object]] = [{"_id": "q1", "text": "one"}, {"_id": "q2", "text": "two"}]


def write(folder: Path, files: Mapping[str, str | list[dict[str, object]]]) -> Path:
    for name, content in files.items():
        text = content if isinstance(content, str) else "".join(json.dumps(line) + "\n" for line in content)
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def judged(tmp_path: Path, text: str) -> Mapping[str, Mapping[str, int]]:
    write(tmp_path, {"qrels": text})
    return read_judgements(tmp_path / "qrels")


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\ta b\t2\nq1\tc\t0\n",
        "q1\ta b\t2\r\n\r\nq1\tc\t-1\r\n",
        "\ufeffq1\t0\ta b\t2\nq1\t0\tc\t0.0\nq1\t0\tc\t0\n",
    ],
)
def test_judgements_are_read_in_the_manner_of_beir_and_of_trec(tmp_path: Path, text: str) -> None:
    assert judged(tmp_path, text) == {"q1": {"a b": 2, "c": 0}}


def test_judgements_of_trec_may_be_apart_by_blanks(tmp_path: Path) -> None:
    assert judged(tmp_path, "1 0 CACM-1410 1\n1  Q0 CACM-1572  3\n") == {"1": {"CACM-1410": 1, "CACM-1572": 3}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q\td\t1\nq\td\tgood\n", "line 2: The grade 'good' is no whole number"),
        ("q\td\t1\nq\te\t0.5\n", "line 2: The grade '0.5'"),
        ("q\td\t1\nq\te\tnan\n", "line 2: The grade 'nan'"),
        ("q\td\t1\nq\te\t1e300\n", "line 2: The grade '1e300'"),
        ("q\td\t1\nq\td\t2\n", "line 2: 'd' has the grade 2 for 'q' here, and 1 above"),
        ("q\td\t1\nq d\n", "line 2: A line has a question, a document and a grade"),
        ("q\t\t1\n", "line 1: A line has"),
        ("a b c d e\n", "line 1: A line has"),
    ],
)
def test_judgements_that_make_no_sense_are_refused_with_their_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CollectionUnreadable, match=said):
        judged(tmp_path, text)


@pytest.mark.parametrize("text", ["", "\n\n", "query-id\tcorpus-id\tscore\n"])
def test_no_judgements_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(NothingJudged):
        judged(tmp_path, text)


@pytest.mark.parametrize("header", ["query-id\tcorpus-id\n", "qid doc\n", ""])
def test_questions_are_those_with_a_right_answer_and_others_are_told(tmp_path: Path, header: str) -> None:
    queries: list[dict[str, object]] = [
        *_QUERIES,
        {"_id": "blank", "text": " "},
        {"_id": "wrong", "text": "x"},
        {"_id": "unjudged", "text": "y"},
    ]
    qrels = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t3\nblank\td1\t1\nwrong\td1\t0\ngone\td1\t1\n"
    ignored = f"{header}q1\tsource\nq1\tother\n"

    found = questions_of(write(tmp_path, {"queries.jsonl": queries, "qrels.tsv": qrels, "ignore.tsv": ignored}))

    assert found.texts == {"q1": "one", "q2": "two"}
    assert found.gains == {"q1": {"d1": 1}, "q2": {"d2": 3}}
    assert found.ignored == {"q1": {"source", "other"}, "q2": set()}
    assert found.judged == {"d1", "d2"}
    assert found.flaws.document() == [
        {"flaw": "questions without text", "count": 1, "examples": ["blank"]},
        {"flaw": "questions without a right answer", "count": 1, "examples": ["wrong"]},
        {"flaw": "judged questions that are not among the questions", "count": 1, "examples": ["gone"]},
    ]


def test_folders_of_beir_keep_judgements_below(tmp_path: Path) -> None:
    write(tmp_path, {"queries.jsonl": _QUERIES, "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq2\td\t1\n"})
    assert list(questions_of(tmp_path).texts) == ["q2"]


def test_questions_without_any_right_answer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NothingJudged, match="No question"):
        questions_of(write(tmp_path, {"queries.jsonl": _QUERIES, "qrels.tsv": "q1\td\t0\nq9\td\t1\n"}))


def test_question_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"queries.jsonl": [*_QUERIES, _QUERIES[0]], "qrels.tsv": "q1\td\t1\n"})
    with pytest.raises(CollectionUnreadable, match="line 3: The question 'q1' is there twice"):
        questions_of(tmp_path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(CollectionUnreadable, match=r"There is no corpus\.jsonl or corpus\.jsonl\.gz in"):
        corpus_of(tmp_path)


def test_documents_are_read_packed_or_not(tmp_path: Path) -> None:
    text = (
        '\ufeff{"_id": 7, "title": "T", "text": "x"}\n\n{"_id": "b", "text": "\\u00fc"}\n{"_id": "c", "title": null}\n'
    )
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(text.encode()))

    assert list(read_corpus(corpus_of(tmp_path))) == [
        CorpusEntry("7", "T", "x"),
        CorpusEntry("b", "", "ü"),
        CorpusEntry("c", "", ""),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"_id": "a"}\nnot json\n', "line 2: The line is no JSON"),
        (b'{"_id": "a"}\n["list"]\n', "line 2: The line is no JSON object"),
        (b"[" * 100_000, "line 1: The line is no JSON"),
        (b'{"_id": "a"}\n{"text": "x"}\n', "line 2: `_id` is missing"),
        (b'{"_id": ""}\n', "line 1: `_id` is missing"),
        (b'{"_id": true}\n', "line 1: `_id` is missing"),
        (b'{"_id": "a", "text": 5}\n', "line 1: `text` is missing, or no text"),
        (b'{"_id": "a"}\n{"_id": "a"}\n', "line 2: The document 'a' is there twice"),
        (b'{"_id": "a"}\n{"_id": "\xff"}\n', "line 2: Byte 10 is no UTF-8"),
        (b"\n", "There are no documents"),
    ],
)
def test_broken_documents_are_refused_with_their_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(content)
    with pytest.raises(CollectionUnreadable, match=said):
        list(read_corpus(tmp_path / "corpus.jsonl"))


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(b'{"_id": "a"}\n' * 50, mtime=0)[:-12]])
def test_broken_packing_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "corpus.jsonl.gz").write_bytes(content)
    with pytest.raises(CollectionUnreadable):
        list(read_corpus(tmp_path / "corpus.jsonl.gz"))


def test_documents_are_not_all_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "first"}\nbroken\n')
    assert next(read_corpus(tmp_path / "corpus.jsonl")).text == "first"


def test_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINE_BYTES", 100)
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a"}\n' + "x" * 200)
    with pytest.raises(CollectionUnreadable, match="line 2: The line is longer than 100 bytes"):
        list(read_corpus(tmp_path / "corpus.jsonl"))


@pytest.mark.parametrize(
    ("entry", "title", "body"),
    [
        (CorpusEntry("a", " A\n title ", "text"), "A title", "text"),
        (CorpusEntry("a", "title alone", " "), "title alone", "title alone"),
        (CorpusEntry("a", "", "text"), "Untitled", "text"),
        (CorpusEntry("a", "x" * 600, ""), "x" * 500, "x" * 600),
    ],
)
def test_documents_become_items_with_title_and_body(entry: CorpusEntry, title: str, body: str) -> None:
    assert (entry.item_title, entry.item_body) == (title, body)


def test_fingerprint_tells_contents_apart(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").write_bytes(b"y")
    assert fingerprint_of(tmp_path / "a") != fingerprint_of(tmp_path / "b")
    assert len(fingerprint_of(tmp_path / "a")) == 64


def test_halves_of_characters_are_replaced_by_what_can_be_sent(tmp_path: Path) -> None:
    halves = '{"_id": "\\ud800", "title": "\\udc00", "text": "\\ud83d\\ude00 \\ud83d"}\n'
    folder = write(tmp_path, {"corpus.jsonl": halves})
    assert list(read_corpus(corpus_of(folder))) == [CorpusEntry("\ufffd", "\ufffd", "\U0001f600 \ufffd")]
