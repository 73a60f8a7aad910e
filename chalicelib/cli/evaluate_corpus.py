"""The documents of a collection as items: their paths and ids, without their texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chalicelib.cli.client import Json
from chalicelib.evaluation.collection import CorpusEntry, corpus_of, fingerprint_of, read_corpus

FOLDER = "corpus"


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a folder, in their order. `sizes` sums up what they need of each quota."""

    file: Path
    fingerprint: str
    ids: Sequence[str]
    sizes: Mapping[str, int]

    @property
    def name(self) -> str:
        """What the collection is called: its folder's name."""
        return self.file.resolve().parent.name

    @property
    def known(self) -> frozenset[str]:
        """The ids of all documents."""
        return frozenset(self.ids)

    def entries(self) -> Iterator[tuple[str, CorpusEntry]]:
        """Yield each document with the path of its item. Raises CollectionUnreadable."""
        for number, entry in enumerate(read_corpus(self.file)):
            yield f"{FOLDER}/{number:08}", entry

    def id_of(self, hit: Json) -> str:
        """Return the id of the document that a hit stands for; its path where somebody else put it there."""
        folder, _, number = str(hit["path"]).rpartition("/")
        is_ours = folder == FOLDER and number.isdecimal() and int(number) < len(self.ids)
        return self.ids[int(number)] if is_ours else str(hit["path"])


def read_whole_corpus(folder: Path) -> Corpus:
    """Read all documents once, so that a broken one is found before any is sent. Raises CollectionUnreadable."""
    file = corpus_of(folder)
    ids, body_bytes = list[str](), 0
    for entry in read_corpus(file):
        ids.append(entry.id)
        body_bytes += len(entry.item_body.encode("utf-8", "replace"))
    sizes = {"items": len(ids), "body_bytes": body_bytes, "chunks": 2 * len(ids) + body_bytes // 200}
    return Corpus(file, fingerprint_of(file), ids, sizes)
