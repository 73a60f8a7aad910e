"""Searches among many chunks of many workspaces: `python -m tests.benchmarks.scale FOLDER CHUNKS [QUESTIONS]`.

FOLDER keeps real passages with their vectors, and a server with a database for each number of chunks, so that one is
filled once and measured often. The server has the settings that `lorebase serve` gives it. Questions are asked in the
largest workspace by somebody who may read all of it, 10, 1 and 0.1 %, and in a small one whose vectors lie among
others'. Printed are p50 and p95 in milliseconds in process, with vectors that are ready, and how many of the ten
nearest by the exact comparison were found; the embedding of a question; and the bare query by pgvector beside it.
"""

import os
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import psycopg
from pgvector import HalfVector
from psycopg import sql
from psycopg.conninfo import make_conninfo

from chalicelib.access.readers import audiences_of
from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.database.statements import parse_statements
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.identity.model import Principal, WorkspaceRole
from chalicelib.index.spaces import find_space
from chalicelib.items.model import ItemFilters
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.ports import Embedded, Embedder
from chalicelib.search import store
from chalicelib.search.lexical import find_by_words, weigh_question
from chalicelib.search.model import Level, Question, SearchAnswer
from chalicelib.search.search import SearchRules, search
from chalicelib.search.store import Reach
from tests.benchmarks.retrieval import cached_embedder
from tests.benchmarks.scale_load import SHARES, Layout, fill, keep_layout, read_layout
from tests.benchmarks.scale_passages import Base, load_base
from tests.fixtures.indexing import member_of

_QUESTIONS = 40
_SQL = parse_statements(
    """
-- name: bare
-- The nearest by the graph alone: same table, same workspace, nobody asked.
select e.chunk_id from embeddings e
where e.workspace_id = %(workspace_id)s and e.space_id = 1
order by (e.embedding::halfvec(384)) <=> %(vector)s::halfvec(384) limit 100

-- name: walk
-- As wide as the product walks.
select set_config('hnsw.ef_search', '200', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('enable_sort', 'off', true)

-- name: sizes
-- Bytes of tables and of their indexes.
select coalesce(parent.relname, relation.relname) as name, sum(pg_table_size(relation.oid))::bigint as rows,
       sum(pg_indexes_size(relation.oid))::bigint as indexes
from pg_class relation left join pg_inherits inherits on inherits.inhrelid = relation.oid
left join pg_class parent on parent.oid = inherits.inhparent
where relation.relkind = 'r' and coalesce(parent.relname, relation.relname)
      in ('items', 'chunks', 'chunk_terms', 'embeddings', 'term_statistics')
group by 1 order by 1
""",
    origin="benchmarks",
)


@dataclass
class ReadyEmbedder:
    """Has the vectors of all questions at hand."""

    base: Base
    space: str
    dimensions: int
    languages: frozenset[str] | None = None
    _places: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._places = {question: place for place, question in enumerate(self.base.questions)}

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        raise NotImplementedError(texts)

    def embed_query(self, text: str) -> Embedded:
        # A question made of words alone has no vector of its own; any real one does for its speed.
        place = self._places.get(text, len(text) % len(self.base.questions))
        return Embedded(self.base.question_vectors[place][None], 8)


class Scene:
    """A filled database and who asks in it."""

    def __init__(self, database: Database, base: Base, layout: Layout, space: str) -> None:
        self.database, self.base, self.layout, self.space = database, base, layout, space
        self.embedders = Embedders.of(ReadyEmbedder(base, space, base.vectors.shape[1]))
        organization_id, largest = layout.organization_id, layout.workspaces[0]
        self._member = member_of(database, organization_id, largest, role=WorkspaceRole.GUEST)

    def asker(self, share: int, place: int) -> Principal:
        """Return somebody who may read one of SHARES of a workspace."""
        return replace(
            self._member,
            roles_by_workspace={self.layout.workspaces[place]: WorkspaceRole.GUEST},
            team_ids=frozenset(self.layout.teams[: share + 1]),
        )

    def reach(self, share: int, place: int) -> Reach:
        """Return what this asker may find."""
        workspace_id = self.layout.workspaces[place]
        with self.database.transaction() as tx:
            return Reach(workspace_id, audiences_of(tx, self.asker(share, place), workspace_id), ItemFilters())

    def ask(self, share: int, place: int, mode: Mode, question: str) -> SearchAnswer:
        """Ask in process."""
        return search(
            database=self.database,
            principal=self.asker(share, place),
            workspace_id=self.layout.workspaces[place],
            question=Question(query=question, mode=mode),
            embedders=self.embedders,
            rules=SearchRules(),
        )

    def nearest(self, reach: Reach, vector: HalfVector) -> set[object]:
        """Return the ten nearest chunks by comparing all."""
        with self.database.transaction() as tx:
            space_id = find_space(tx, name=self.space)
            assert space_id is not None
            found = store.rank_exactly(tx, reach, level=Level.CHUNK, space_id=space_id, vector=vector, limit=10)
        return {candidate.chunk_id for candidate in found}

    def bare(self, place: int, vector: HalfVector) -> None:
        """Ask pgvector alone."""
        with self.database.transaction() as tx:
            tx.fetch_one(_SQL["walk"])
            tx.fetch_all(_SQL["bare"], workspace_id=self.layout.workspaces[place], vector=vector)


def times(calls: Sequence[Callable[[], object]]) -> str:
    """Run each call twice and return p50 and p95 of the second runs, in milliseconds."""
    taken = []
    for call in calls:
        call()
        started = time.perf_counter()
        call()
        taken.append((time.perf_counter() - started) * 1000)
    return f"{statistics.median(taken):7.1f} {statistics.quantiles(taken, n=20)[-1]:7.1f}"


def measure_visibility(scene: Scene, questions: Sequence[str]) -> None:
    """Print each mode's times and recall, for each share of the largest workspace and for all of a small one."""
    middle = next(place for place, chunks in enumerate(scene.layout.chunks) if chunks < scene.layout.chunks[0] / 20)
    vectors = [HalfVector(scene.embedders.by_space[scene.space].embed_query(one).vectors[0]) for one in questions]
    print("readable, of chunks: semantic, lexical, hybrid (p50 p95); recall; bare; load")
    for share, place in [(number, 0) for number in reversed(range(len(SHARES)))] + [(len(SHARES) - 1, middle)]:
        reach = scene.reach(share, place)
        recall = []
        for question, vector in zip(questions, vectors, strict=True):
            nearest = scene.nearest(reach, vector)
            hits = {hit.chunk_id for hit in scene.ask(share, place, Mode.SEMANTIC, question).hits}
            recall.append(len(hits & nearest) / len(nearest) if nearest else 1.0)
        asked = [
            times([partial(scene.ask, share, place, mode, question) for question in questions])
            for mode in (Mode.SEMANTIC, Mode.LEXICAL, Mode.HYBRID)
        ]
        bare = times([partial(scene.bare, place, vector) for vector in vectors])
        chunks = scene.layout.chunks[place]
        print(f"{SHARES[share]:6.1%} of {chunks}: {', '.join(asked)}; {statistics.fmean(recall):.3f};{bare}; {_load()}")


def measure_words(scene: Scene) -> None:
    """Print the lexical lane's times by the questions' words."""
    reach = scene.reach(len(SHARES) - 1, 0)
    for name, questions in _by_words(scene.base).items():

        def run(question: str) -> None:
            with scene.database.transaction() as tx:
                contents = store.find_contents(tx, reach.workspace_id, space=None)
                weighed = weigh_question(tx, reach.workspace_id, question, contents=contents)
                find_by_words(tx, reach, question=weighed, level=Level.CHUNK, limit=100, sure=20)

        print(f"lexical lane, {name} words: {times([partial(run, question) for question in questions])}; {_load()}")


def _by_words(base: Base) -> Mapping[str, Sequence[str]]:
    chance = random.Random(3)
    kinds: dict[str, list[str]] = defaultdict(list)
    frequent = [term for term in base.common if term.isalpha() and len(term) > 4][:60]
    for question in base.questions:
        words = question.split()
        if len(words) >= 17:
            kinds["17 and more"].append(question)
            kinds["3"].append(" ".join(chance.sample([word for word in words if len(word) > 3], 3)))
        elif 6 <= len(words) <= 10:
            kinds["6 to 10"].append(question)
    kinds["8 frequent"] = [" ".join(chance.sample(frequent, 8)) for _ in range(_QUESTIONS)]
    return {name: chance.sample(questions, min(_QUESTIONS, len(questions))) for name, questions in kinds.items()}


def measure_sizes(scene: Scene) -> None:
    """Print bytes a chunk."""
    total = sum(scene.layout.chunks)
    with scene.database.transaction() as tx:
        for row in tx.fetch_all(_SQL["sizes"]):
            print(f"{row['name']:16} {row['rows'] / total:8,.0f} {row['indexes'] / total:8,.0f} bytes a chunk")


def measure_embedding(embedder: Embedder, questions: Sequence[str]) -> None:
    """Print what embedding a question takes."""
    print(f"embedding a question: {times([partial(embedder.embed_query, one) for one in questions])}; {_load()}")


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def open_database(conninfo: str, folder: Path, base: Base, *, chunks: int, space: str) -> Database:
    """Return the database of so many chunks, filled first where it is new."""
    name = f"scale_{chunks}"
    own = make_conninfo(conninfo, dbname=name)
    if not (folder / f"{chunks}.json").exists():
        with psycopg.connect(conninfo, autocommit=True) as connection:
            connection.execute(sql.SQL("drop database if exists {}").format(sql.Identifier(name)))
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        migrate(own)
        database = Database(own)
        keep_layout(folder / f"{chunks}.json", fill(database, base, chunks=chunks, space=space, say=print))
        return database
    migrate(own)
    return Database(own)


def main(arguments: Sequence[str]) -> None:
    """Fill where needed, and measure."""
    folder, chunks = Path(arguments[0]), int(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    embedder = cached_embedder()
    base = load_base(folder, embedder)
    chance = random.Random(11)
    questions = chance.sample(list(base.questions), int(arguments[2]) if len(arguments) > 2 else _QUESTIONS)
    with start_postgres(folder / "postgres", binaries=embedded_binaries()) as server:
        database = open_database(server.conninfo, folder, base, chunks=chunks, space=embedder.space)
        scene = Scene(database, base, read_layout(folder / f"{chunks}.json"), embedder.space)
        measure_embedding(embedder, questions)
        measure_visibility(scene, questions)
        measure_words(scene)
        measure_sizes(scene)
        database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
