"""The product beside its peers in a large workspace: `python -m tests.benchmarks.peers.at_scale FOLDER SCALE CHUNKS`.

After these may come the number of questions, 100 by default, and --again. FOLDER has the peers' environments, as in
tests.benchmarks.peers.compare; SCALE keeps the database of CHUNKS chunks of tests.benchmarks.scale, filled first where
it is new. The peers get the text and the vector of each chunk of its largest workspace, and their answers are kept in
FOLDER/answers. One that is not ready in 15 minutes is left out. All are asked for ten hits, warm, with the question's
vector at hand, the product in process by somebody who may read all. Printed are p50 and p95 in milliseconds, what
putting the chunks in took, and the machine's load before.

Texts are the drawn ones: where the product's index has many rare words in place of one (scale_passages), peers have the
one. A text that is there again gets spaces at its end, since txtai's module finds a text's vector by the text.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chalicelib.database.statements import parse_statements
from chalicelib.index.spaces import find_space
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.search.model import Level, Question
from chalicelib.search.search import SearchRules, search
from tests.benchmarks.peers.asking import OURS, PEERS, answer_of, spread
from tests.benchmarks.peers.product import SHOWN, WARMING, write_lines
from tests.benchmarks.retrieval import cached_embedder
from tests.benchmarks.scale import Scene, open_database
from tests.benchmarks.scale_load import SHARES, read_layout
from tests.benchmarks.scale_passages import Base, load_base

_QUESTIONS = 100
_LIMIT_SECONDS = 900.0
_SQL = parse_statements(
    """
-- name: list_chunks_with_vectors
-- Read a workspace's chunks, item by item.
select c.item_id, c.text, e.embedding from embeddings e
join chunks c on c.workspace_id = e.workspace_id and c.id = e.chunk_id
where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s order by c.item_id, c.ordinal
""",
    origin="benchmarks",
)


@dataclass(frozen=True)
class Kept:
    """The filled databases of tests.benchmarks.scale, of which one is opened when it is needed."""

    folder: Path
    base: Base
    chunks: int
    space: str

    @contextmanager
    def opened(self) -> Iterator[Scene]:
        """Open the database for as long as the block runs."""
        with start_postgres(self.folder / "postgres", binaries=embedded_binaries()) as server:
            database = open_database(server.conninfo, self.folder, self.base, chunks=self.chunks, space=self.space)
            try:
                yield Scene(database, self.base, read_layout(self.folder / f"{self.chunks}.json"), self.space)
            finally:
                database.close()


def main(arguments: Sequence[str]) -> None:
    """Ask the peers and then the product."""
    given, scale, chunks, *counts = [argument for argument in arguments if not argument.startswith("--")]
    folder = Path(given).absolute()
    Path(scale).mkdir(parents=True, exist_ok=True)
    embedder = cached_embedder()
    base = load_base(Path(scale), embedder)
    kept = Kept(Path(scale), base, int(chunks), embedder.space)
    places = random.Random(11).sample(range(len(base.questions)), int(counts[0]) if counts else _QUESTIONS)
    exported = folder / "exported" / f"scale-{chunks}"
    exported.mkdir(parents=True, exist_ok=True)
    with kept.opened() as scene:
        export(scene, places, exported)
    peers = ask_peers(folder, exported, is_again="--again" in arguments)
    with kept.opened() as scene:
        ours = {f"{OURS}, {level.value}s": ask_product(scene, places, level) for level in (Level.CHUNK, Level.ITEM)}
        show(f"{scene.layout.chunks[0]} of {chunks} chunks, {len(places)} questions", {**ours, **peers})


def export(scene: Scene, places: Sequence[int], folder: Path) -> None:
    """Write the largest workspace's chunks and the questions at these places, with their vectors, for the peers."""
    questions = [scene.base.questions[place] for place in places]
    with scene.database.transaction() as tx:
        space_id = find_space(tx, name=scene.space)
        rows = tx.fetch_all(
            _SQL["list_chunks_with_vectors"], workspace_id=scene.layout.workspaces[0], space_id=space_id
        )
    assert len(rows) == scene.layout.chunks[0]
    np.save(folder / "vectors.npy", np.stack([row["embedding"].to_numpy() for row in rows]).astype(np.float32))
    texts = list(told_apart((row["text"] for row in rows), questions))
    repeated = sum(text != row["text"] for text, row in zip(texts, rows, strict=True))
    print(f"{repeated} of {len(rows)} texts were there before", file=sys.stderr)
    write_lines(
        folder / "chunks.jsonl",
        [{"item": str(row["item_id"]), "text": text} for row, text in zip(rows, texts, strict=True)],
    )
    np.save(folder / "question_vectors.npy", scene.base.question_vectors[list(places)].astype(np.float32))
    write_lines(
        folder / "questions.jsonl",
        [{"_id": str(place), "text": question} for place, question in zip(places, questions, strict=True)],
    )


def told_apart(texts: Iterable[str], questions: Iterable[str]) -> Iterator[str]:
    """Give each text as many spaces at its end as it needs to be neither another text nor a question."""
    taken = set(questions)
    for text in texts:
        own = text
        while own in taken:
            own += " "
        taken.add(own)
        yield own


def ask_peers(folder: Path, exported: Path, *, is_again: bool) -> Mapping[str, Any]:
    """Return the answers of those whose environment is there."""
    answers = {}
    with (
        tempfile.TemporaryDirectory() as home,
        start_postgres(Path(home) / "peers", binaries=embedded_binaries()) as server,
    ):
        for peer in PEERS:
            answered = answer_of(
                peer, folder, exported, server.conninfo, is_again=is_again, has_times=True, limit=_LIMIT_SECONDS
            )
            if answered is not None:
                answers[peer] = answered
                print(f"{peer}: {answered.get('left_out') or spread(answered['milliseconds'])}", file=sys.stderr)
    return answers


def ask_product(scene: Scene, places: Sequence[int], level: Level) -> Mapping[str, Any]:
    """Ask the product as the peers are asked: all questions once, some again to be warm, and then all in time."""
    asker, load = scene.asker(len(SHARES) - 1, 0), os.getloadavg()[0]

    def ask(text: str) -> None:
        answer = search(
            database=scene.database,
            principal=asker,
            workspace_id=scene.layout.workspaces[0],
            question=Question(query=text, mode=Mode.HYBRID, level=level, limit=SHOWN),
            embedders=scene.embedders,
            rules=SearchRules(),
        )
        assert answer.hits, f"nothing was found for {text!r}"

    questions = [scene.base.questions[place] for place in places]
    for question in [*questions, *questions[:WARMING]]:
        ask(question)
    milliseconds = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        milliseconds.append((time.perf_counter() - started) * 1000)
    return {"milliseconds": milliseconds, "load": load}


def show(title: str, answers: Mapping[str, Any]) -> None:
    """Print a table. The product's database was filled by COPY: no time of its own could stand beside theirs."""
    print(f"\n{title}\n\n| | p50, p95 ms | index s | load before |\n| --- | ---: | ---: | ---: |")
    for system, answered in answers.items():
        times = answered.get("left_out") or spread(answered["milliseconds"])
        index = f"{answered['index_seconds']:.1f}" if "index_seconds" in answered else "-"
        print(f"| {system} | {times} | {index} | {answered['load']:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
