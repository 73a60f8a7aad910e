"""D-SEA-3: few readable rows among many, and a small workspace beside a large one, are found as if they were alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from pgvector import HalfVector

from chalicelib.access.store import Holder, list_audiences
from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.database.statements import parse_statements
from chalicelib.database.transaction import Transaction
from chalicelib.index.model import SpaceId
from chalicelib.index.spaces import ensure_space, find_space
from chalicelib.items.model import ItemFilters
from chalicelib.search.model import Candidate, Level
from chalicelib.search.semantic import find_by_meaning
from chalicelib.search.store import Contents, Reach
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom

_SQL = parse_statements(
    """
-- name: fill
-- Give an item many chunks with vectors.
with chunk as (
    insert into chunks (workspace_id, id, item_id, ordinal, heading_path, body_start, body_end, text, tokens, language,
                        content_sha256, embedded_sha256)
    select %(workspace_id)s, v.id, %(item_id)s, row_number() over (), '{}', 0, 0, '', 0, 'en',
           sha256(v.id::text::bytea), sha256(v.id::text::bytea)
    from unnest(%(ids)s::uuid[]) as v (id)
    returning id, embedded_sha256
), counted as (
    update items set chunk_count = cardinality(%(ids)s::uuid[]) where id = %(item_id)s
)
insert into embeddings (workspace_id, chunk_id, space_id, item_id, language, embedded_sha256, embedding)
select %(workspace_id)s, v.id, %(space_id)s, %(item_id)s, 'en', sha256(v.id::text::bytea), v.vector::halfvec
from unnest(%(ids)s::uuid[], %(vectors)s::text[]) as v (id, vector)

-- name: find_partition
-- Tell which partition a workspace's vectors are put into.
select n from generate_series(0, 7) n where satisfies_hash_partition('embeddings'::regclass, 8, n, %(workspace_id)s)

-- name: drop_index
-- A graph is made faster of all vectors at once.
drop index embeddings_space_1

-- name: index
-- Make it as the product does.
select index_embedding_space(1::smallint)

-- name: analyze
-- Let the planner know.
analyze embeddings
""",
    origin="tests",
)

_LARGE, _SMALL, _SUBJECTS, _QUESTIONS = 16_000, 3_000, 40, 12
_SHARES = {"group:a": 0.001, "group:b": 0.009, "group:c": 0.09, "group:d": 0.2, "group:e": 0.7}


@dataclass
class _Scene:
    """A large workspace whose items have readers of their own, and a small one on another subject in its partition."""

    database: Database
    large: IndexRoom
    small: IndexRoom
    subjects: npt.NDArray[np.float64]
    other_subject: npt.NDArray[np.float64]

    def near(self, chance: np.random.Generator, centres: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.asarray(centres + 0.6 * chance.normal(size=centres.shape))

    def fill(self) -> None:
        chance = np.random.default_rng(7)
        with self.database.transaction() as tx:
            space_id = ensure_space(tx, name=WordEmbedder.space, dimensions=WordEmbedder.dimensions)
            tx.execute(_SQL["drop_index"])
        for token, share in _SHARES.items():
            chosen = self.subjects[chance.integers(_SUBJECTS, size=int(_LARGE * share))]
            self._add(self.large, token, self.near(chance, chosen), space_id)
        self._add(self.small, "group:d", self.near(chance, np.tile(self.other_subject, (_SMALL, 1))), space_id)
        with self.database.transaction() as tx:
            tx.fetch_one(_SQL["index"])
            tx.execute(_SQL["analyze"])

    def _add(self, room: IndexRoom, token: str, vectors: npt.NDArray[np.float64], space_id: SpaceId) -> None:
        item = room.add(f"{token[-1]}.md", "", audience=[token], index=False)
        with self.database.transaction() as tx:
            tx.execute(
                _SQL["fill"],
                workspace_id=room.workspace_id,
                item_id=item.id,
                space_id=space_id,
                ids=[new_id() for _ in vectors],
                vectors=[HalfVector(vector).to_text() for vector in vectors],
            )

    def recall(
        self, room: IndexRoom, tokens: Sequence[str], centres: npt.NDArray[np.float64], *, limit: int = 100
    ) -> float:
        """Return the share of the ten nearest that are found when nothing is compared one by one for its own sake."""
        chance = np.random.default_rng(11)
        shares = []
        with self.database.transaction() as tx:
            audiences = list_audiences(tx, room.workspace_id, holders=[Holder(frozenset(tokens))])
            reach = Reach(room.workspace_id, audiences, ItemFilters())
            for _ in range(_QUESTIONS):
                vector = HalfVector(self.near(chance, centres[chance.integers(len(centres))]))
                exactly = {one.chunk_id for one in _find(tx, reach, vector, exact_chunks=10**6, limit=10)}
                found = _find(tx, reach, vector, exact_chunks=0, limit=limit)
                assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
                assert len(exactly) == 10
                shares.append(len(exactly & {one.chunk_id for one in found[:10]}) / 10)
        return float(np.mean(shares))


def _find(tx: Transaction, reach: Reach, vector: HalfVector, *, exact_chunks: int, limit: int) -> Sequence[Candidate]:
    return find_by_meaning(
        tx,
        reach,
        contents=_contents(tx),
        vector=vector,
        level=Level.CHUNK,
        limit=limit,
        exact_chunks=exact_chunks,
    )


def _contents(tx: Transaction) -> Contents:
    """Return so many chunks that it is asked how many of them can be read."""
    return Contents({"en": 10**9}, find_space(tx, name=WordEmbedder.space))


def _items(database: Database, room: IndexRoom, tokens: Sequence[str], vector: HalfVector) -> Sequence[Candidate]:
    with database.transaction() as tx:
        audiences = list_audiences(tx, room.workspace_id, holders=[Holder(frozenset(tokens))])
        reach = Reach(room.workspace_id, audiences, ItemFilters())
        return find_by_meaning(
            tx,
            reach,
            contents=_contents(tx),
            vector=vector,
            level=Level.ITEM,
            limit=10,
            exact_chunks=0,
        )


def _room_beside(database: Database, other: IndexRoom) -> IndexRoom:
    """Return a workspace whose vectors lie among the other's."""

    def partition_of(room: IndexRoom) -> int:
        with database.transaction() as tx:
            return int(tx.fetch_all(_SQL["find_partition"], workspace_id=room.workspace_id)[0]["n"])

    while True:
        room = IndexRoom(database)
        if partition_of(room) == partition_of(other):
            return room


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Remembers how many candidates each walk through the graph gave."""
    from chalicelib.search import store  # noqa: PLC0415 - what is patched

    walked: list[int] = []
    rank: Callable[..., Sequence[Candidate]] = store.rank_by_graph

    def rank_and_tell(*arguments: object, **options: object) -> Sequence[Candidate]:
        found = rank(*arguments, **options)
        walked.append(len(found))
        return found

    monkeypatch.setattr(store, "rank_by_graph", rank_and_tell)
    return walked


def test_what_little_may_be_read_is_found_among_much_that_may_not(database: Database, walks: list[int]) -> None:
    chance = np.random.default_rng(3)
    large = IndexRoom(database)
    scene = _Scene(
        database,
        large,
        _room_beside(database, large),
        chance.normal(size=(_SUBJECTS, WordEmbedder.dimensions)),
        3 * chance.normal(size=WordEmbedder.dimensions),
    )
    scene.fill()
    tokens = list(_SHARES)
    for number in range(1, len(tokens) + 1):
        assert scene.recall(large, tokens[:number], scene.subjects) >= 0.95
    assert len(walks) == _QUESTIONS
    assert scene.recall(large, tokens[:4], scene.subjects, limit=10) >= 0.95
    assert len(walks) == 2 * _QUESTIONS
    walks.clear()
    # The 200 nearest hold fewer than 150 that may be read: a walk that stopped there would have to be done over.
    assert scene.recall(large, tokens[4:], scene.subjects, limit=150) >= 0.95
    assert walks == [150] * _QUESTIONS
    assert scene.recall(scene.small, tokens, scene.other_subject[None]) >= 0.95
    assert scene.recall(scene.small, tokens, scene.subjects) >= 0.95
    assert len({one.item_id for one in _items(database, large, tokens, HalfVector(scene.subjects[0]))}) == len(tokens)
