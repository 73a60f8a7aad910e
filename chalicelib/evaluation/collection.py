"""A collection: documents, questions, and which documents answer which question how well.

A folder has the layout of BEIR (Thakur et al., 2021): `corpus.jsonl` and `queries.jsonl`, packed by gzip or not, and
`qrels.tsv` or `qrels/test.tsv`.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chalicelib.evaluation.errors import CollectionUnreadable, NothingJudged
from chalicelib.evaluation.judgements import Gains, read_ignored, read_judgements
from chalicelib.evaluation.lines import read_objects, refuse

UNTITLED = "Untitled"
_TITLE_CHARACTERS = 500
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """A document of a corpus."""

    id: str
    title: str
    text: str

    @property
    def item_title(self) -> str:
        """The title of the item that is made of it."""
        return " ".join(self.title.split())[:_TITLE_CHARACTERS].strip() or UNTITLED

    @property
    def item_body(self) -> str:
        """The body of the item that is made of it: the text, or else the title."""
        return self.text if self.text.strip() else self.title


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions to ask, by id, with the grades of what was judged and what to leave out of their rankings.

    `flaws` says what of the files was of no use: words for people, with how often and examples.
    """

    texts: Mapping[str, str]
    gains: Gains
    ignored: Mapping[str, frozenset[str]]
    flaws: "Flaws"

    @property
    def judged(self) -> frozenset[str]:
        """All that was judged for the questions to ask."""
        return frozenset(one for grades in self.gains.values() for one in grades)


@dataclass(slots=True)
class Flaws:
    """What was of no use, by what is wrong with it."""

    ids_by_flaw: dict[str, list[str]] = field(default_factory=dict)

    def note(self, flaw: str, *ids: str) -> None:
        """Note a flaw of some ids."""
        if ids:
            self.ids_by_flaw.setdefault(flaw, []).extend(ids)

    def document(self, examples: int = 10) -> list[dict[str, Any]]:
        """Return what was noted, each with its count and the first examples."""
        return [{"flaw": flaw, "count": len(ids), "examples": ids[:examples]} for flaw, ids in self.ids_by_flaw.items()]


def find_file(folder: Path, *names: str) -> Path:
    """Return the first of the names that is a file in the folder. Raises CollectionUnreadable."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise CollectionUnreadable(f"There is no {' or '.join(names)} in {folder}.", folder=str(folder))


def corpus_of(folder: Path) -> Path:
    """Return the file of the documents. Raises CollectionUnreadable."""
    return find_file(folder, "corpus.jsonl", "corpus.jsonl.gz")


def questions_of(folder: Path) -> Questions:
    """Read the questions and judgements of a folder. Raises CollectionUnreadable, NothingJudged."""
    return read_questions(
        find_file(folder, "queries.jsonl", "queries.jsonl.gz"),
        find_file(folder, "qrels.tsv", "qrels/test.tsv", "qrels.txt", "qrels.tsv.gz", "qrels/test.tsv.gz"),
        ignored=next((folder / name for name in ("ignore.tsv",) if (folder / name).is_file()), None),
    )


def read_questions(queries: Path, judgements: Path, *, ignored: Path | None = None) -> Questions:
    """Read the questions that have a right answer, in their order. Raises CollectionUnreadable, NothingJudged."""
    gains = read_judgements(judgements)
    flaws, seen, texts = Flaws(), set[str](), dict[str, str]()
    for number, value in read_objects(queries):
        query_id, text = _id_of(value, queries, number), _text_of(value, "text", queries, number)
        if query_id in seen:
            refuse(queries, number, f"The question {query_id!r} is there twice")
        seen.add(query_id)
        if query_id not in gains:
            continue
        if not text.strip():
            flaws.note("questions without text", query_id)
        elif not any(grade > 0 for grade in gains[query_id].values()):
            flaws.note("questions without a right answer", query_id)
        else:
            texts[query_id] = text
    flaws.note("judged questions that are not among the questions", *(one for one in gains if one not in seen))
    if not texts:
        raise NothingJudged(f"No question of {queries} has a right answer in {judgements}.")
    left_out = read_ignored(ignored) if ignored is not None else {}
    return Questions(
        texts,
        {query_id: gains[query_id] for query_id in texts},
        {query_id: left_out.get(query_id, frozenset()) for query_id in texts},
        flaws,
    )


def read_corpus(path: Path) -> Iterator[CorpusEntry]:
    """Yield the documents in their order, holding none but their ids in memory. Raises CollectionUnreadable."""
    seen: set[str] = set()
    for number, value in read_objects(path):
        entry = CorpusEntry(
            _id_of(value, path, number),
            _text_of(value, "title", path, number, default=""),
            _text_of(value, "text", path, number, default=""),
        )
        if entry.id in seen:
            refuse(path, number, f"The document {entry.id!r} is there twice")
        seen.add(entry.id)
        yield entry
    if not seen:
        raise CollectionUnreadable(f"There are no documents in {path}.", file=str(path))


def fingerprint_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits. Raises CollectionUnreadable."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise CollectionUnreadable(f"{path} cannot be read: {error.strerror or error}.", file=str(path)) from error
    return digest.hexdigest()


def _id_of(value: Mapping[str, Any], path: Path, number: int) -> str:
    given = value.get("_id")
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    if not isinstance(given, str) or not given.strip():
        refuse(path, number, "`_id` is missing, or no text")
    return _whole(given).strip()


def _text_of(value: Mapping[str, Any], name: str, path: Path, number: int, *, default: str | None = None) -> str:
    given = value.get(name, default)
    if given is None and default is not None:
        return default
    if not isinstance(given, str):
        refuse(path, number, f"`{name}` is missing, or no text")
    return _whole(given)


def _whole(text: str) -> str:
    """Return a text that can be sent: JSON may hold halves of characters, each of which is replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
