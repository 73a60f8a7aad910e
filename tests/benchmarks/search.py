"""Speed of searches in process: `python -m tests.benchmarks.search [CHUNKS]`.

Without an argument the workspace is the handbook, embedded for real; with one it is so many synthesised chunks, of
words drawn by Zipf's law and clustered random vectors. Printed are p50 and p95 of a search, and their ratio to the bare
cost: the question's embedding and the lanes' statements, one after the other.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from chalicelib.access.readers import audiences_of
from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.index import store as index
from chalicelib.index.language import may_be_english
from chalicelib.index.model import Passage, Source, Vectors
from chalicelib.index.passages import passages_of
from chalicelib.index.spaces import ensure_space, find_space
from chalicelib.index.swap import swap_chunks
from chalicelib.index.tokens import load_tokenizer
from chalicelib.items.model import IndexState, ItemFilters
from chalicelib.platform.local.embedder import local_embedder
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.ports import Embedder
from chalicelib.search import store
from chalicelib.search.lexical import WeighedQuestion, find_by_words, weigh_question
from chalicelib.search.model import Candidate, Level
from chalicelib.search.semantic import find_by_meaning
from chalicelib.search.store import Reach
from chalicelib.settings import Settings
from tests.fixtures.indexing import PLENTY, IndexRoom

HANDBOOK = Path(__file__).resolve().parents[3] / "shared" / "data" / "handbook"
QUESTIONS = [
    "how do I get reimbursed for travel",
    "accessibility testing of services",
    "who approves a new vendor",
    "onboarding checklist for new engineers",
    "logging and monitoring of production",
    "Widerspruch gegen einen Bescheid",
    "performance review",
    "how to choose a database",
]
_ROUNDS = 12


def add_handbook(room: IndexRoom) -> None:
    """Index the handbook's Markdown."""
    for path in sorted(HANDBOOK.rglob("*.md")):
        room.add(path.relative_to(HANDBOOK).as_posix(), path.read_text("utf-8"), title=path.stem, index=False)
    room.work()


def add_synthesised(room: IndexRoom, chunks: int, embedder: Embedder, *, chunks_per_item: int = 50) -> None:
    """Write so many chunks of 120 words, with vectors around 200 centres."""
    chance = np.random.default_rng(1)
    words = sorted({word for path in HANDBOOK.rglob("*.md") for word in path.read_text("utf-8").split()})
    chance.shuffle(words)
    bounds = np.cumsum(1 / np.arange(1, len(words) + 1))
    centres = chance.normal(size=(200, embedder.dimensions))
    for number in range(chunks // chunks_per_item):
        drawn = np.searchsorted(bounds, chance.random((chunks_per_item, 120)) * bounds[-1])
        paragraphs = [" ".join(words[at] for at in row) for row in drawn]
        body = "\n\n".join(f"# {number} {at}\n\n{text}" for at, text in enumerate(paragraphs))
        item = room.add(f"{number}", body, index=False)
        source = Source(
            item_id=item.id, title=item.title, body=body, page_starts=(), language="en", revision=item.revision
        )
        passages = passages_of(
            room.workspace_id, source, language="en", tokenizer=load_tokenizer(), chunk_tokens=2048, overlap_tokens=0
        )
        with room.database.transaction() as tx:
            vectors = _vectors(passages, chance, centres)
            space_id = ensure_space(tx, name=embedder.space, dimensions=embedder.dimensions)
            swap_chunks(
                tx,
                room.workspace_id,
                source,
                passages,
                vectors=[Vectors(space_id, vectors, frozenset())],
                quotas=PLENTY,
            )
            index.mark_indexed(
                tx,
                room.workspace_id,
                source,
                state=IndexState.READY,
                chunks=len(passages),
                language="en",
                indexed_as="benchmark",
                warning_code="none",
                warnings=[],
            )
    room.bell.rings.clear()


def _vectors(
    passages: Sequence[Passage],
    chance: np.random.Generator,
    centres: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]",
) -> dict[bytes, HalfVector]:
    chosen = centres[chance.integers(len(centres), size=len(passages))]
    drawn = chosen + chance.normal(size=chosen.shape)
    return {passage.embedded_sha256: HalfVector(vector) for passage, vector in zip(passages, drawn, strict=True)}


def _reach(room: IndexRoom) -> Reach:
    with room.database.transaction() as tx:
        return Reach(room.workspace_id, audiences_of(tx, room.principal, room.workspace_id), ItemFilters())


def bare(room: IndexRoom, embedder: Embedder) -> Iterator[Callable[[], None]]:
    """For each question, its embedding and the lanes' statements alone; the questions are weighed beforehand."""
    reach = _reach(room)
    with room.database.transaction() as tx:
        contents = store.find_contents(tx, room.workspace_id, space=embedder.space)
        weighed = [weigh_question(tx, room.workspace_id, question, contents=contents) for question in QUESTIONS]
    for question, words in zip(QUESTIONS, weighed, strict=True):

        def run(question: str = question, words: WeighedQuestion = words) -> None:
            vector = HalfVector(embedder.embed_query(question).vectors.reshape(-1))
            with room.database.transaction() as tx:
                if words.chunks_by_term:
                    find_by_words(tx, reach, question=words, level=Level.CHUNK, limit=100, sure=10)
                find_by_meaning(tx, reach, contents=contents, vector=vector, level=Level.CHUNK, limit=100)

        yield run


def compare_nearest(room: IndexRoom, embedder: Embedder) -> str:
    """Time the 100 nearest chunks compared one by one and by the graph, and count how many of them the graph finds."""
    reach = _reach(room)
    found: dict[str, list[set[UUID]]] = {"exact": [], "graph": []}
    with room.database.transaction() as tx:
        space_id = find_space(tx, name=embedder.space)
        assert space_id is not None
        exactly = partial(store.rank_exactly, tx, reach, level=Level.CHUNK, space_id=space_id, limit=100)
        by_graph = partial(store.rank_by_graph, tx, reach, space_id=space_id, limit=100, breadth=200, most=200_000)
        vectors = [HalfVector(embedder.embed_query(question).vectors.reshape(-1)) for question in QUESTIONS]

        def keep(name: str, rank: Callable[..., Sequence[Candidate]], vector: HalfVector) -> None:
            found[name].append({UUID(str(candidate.chunk_id)) for candidate in rank(vector=vector)})

        exact = timed([partial(keep, "exact", exactly, vector) for vector in vectors])
        graph = timed([partial(keep, "graph", by_graph, vector) for vector in vectors])
    shared = statistics.fmean(len(one & other) for one, other in zip(found["exact"], found["graph"], strict=True))
    return f"exact {exact[0]:.1f} {exact[1]:.1f}; graph {graph[0]:.1f} {graph[1]:.1f}, which found {shared:.0f} of 100"


def timed(calls: Sequence[Callable[[], object]], *, rounds: int = _ROUNDS) -> tuple[float, float]:
    """Return p50 and p95 in milliseconds, after one round to warm up."""
    times = []
    for turn in range(rounds + 1):
        for call in calls:
            started = time.perf_counter()
            call()
            if turn:
                times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def main(arguments: Sequence[str]) -> None:
    """Measure at handbook size, or at the number of chunks given."""
    settings = Settings()
    embedder = local_embedder(settings.model_folder, settings.cache_folder, may_be_english=may_be_english)
    with (
        tempfile.TemporaryDirectory() as home,
        start_postgres(Path(home) / "postgres", binaries=embedded_binaries()) as server,
    ):
        migrate(server.conninfo)
        database = Database(server.conninfo)
        room = IndexRoom(database, embedder)
        if arguments:
            add_synthesised(room, int(arguments[0]), embedder)
        else:
            add_handbook(room)
        asked = timed([partial(room.search, question) for question in QUESTIONS])
        alone = timed(list(bare(room, embedder)))
        print(f"{room.count('chunks')} chunks, milliseconds (p50, p95)")
        print(f"search {asked[0]:.1f} {asked[1]:.1f}; bare {alone[0]:.1f} {alone[1]:.1f}")
        print(f"ratio {asked[0] / alone[0]:.2f} {asked[1] / alone[1]:.2f}")
        print(f"the 100 nearest: {compare_nearest(room, embedder)}")
        database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
