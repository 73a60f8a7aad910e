"""D-SEA-3: few readable rows among many are all found through the approximate index."""

import numpy as np
import pytest
from pgvector import HalfVector

from chalicelib.access.store import Holder, list_audiences
from chalicelib.access.tokens import workspace_token
from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.database.statements import parse_statements
from chalicelib.index.spaces import ensure_space
from chalicelib.items.model import ItemFilters
from chalicelib.search.model import Candidate, Level
from chalicelib.search.semantic import find_by_meaning
from chalicelib.search.store import Reach
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
""",
    origin="tests",
)

_MANY, _FEW = 20_000, 40


def _fill(room: IndexRoom, path: str, number: int, audience: list[str], rng: np.random.Generator) -> None:
    item = room.add(path, "", audience=audience, index=False)
    vectors = rng.normal(size=(number, WordEmbedder.dimensions))
    with room.database.transaction() as tx:
        space_id = ensure_space(tx, name=WordEmbedder.space, dimensions=WordEmbedder.dimensions)
        tx.execute(
            _SQL["fill"],
            workspace_id=room.workspace_id,
            item_id=item.id,
            space_id=space_id,
            ids=[new_id() for _ in range(number)],
            vectors=[HalfVector(vector).to_text() for vector in vectors],
        )


@pytest.mark.slow
def test_one_reader_in_five_hundred_gets_ten_rows_in_nearly_exact_order(database: Database) -> None:
    room = IndexRoom(database)
    rng = np.random.default_rng(7)
    _fill(room, "few.md", _FEW, ["group:few"], rng)
    _fill(room, "many.md", _MANY - _FEW, [workspace_token(room.workspace_id)], rng)

    def find(tokens: list[str], exact_chunks: int, limit: int = 10, path: str | None = None) -> list[Candidate]:
        vector = HalfVector(np.random.default_rng(11).normal(size=WordEmbedder.dimensions))
        with database.transaction() as tx:
            audiences = list_audiences(tx, room.workspace_id, holders=[Holder(frozenset(tokens))])
            reach = Reach(room.workspace_id, audiences, ItemFilters(path=path))
            found = find_by_meaning(
                tx,
                reach,
                space=WordEmbedder.space,
                vector=vector,
                level=Level.CHUNK,
                limit=limit,
                exact_chunks=exact_chunks,
            )
        return list(found)

    everyone = [workspace_token(room.workspace_id)]
    for tokens in (["group:few"], everyone, ["group:few", *everyone]):
        by_graph, exactly = find(tokens, 0), find(tokens, 10**6)
        assert len(by_graph) == 10
        assert len({one.chunk_id for one in by_graph} & {one.chunk_id for one in exactly}) >= 9
        scores = [one.score for one in by_graph]
        assert scores == sorted(scores, reverse=True)
    assert len({one.item_id for one in find(["group:few"], 0)}) == 1
    assert len(find(["group:few"], 0, limit=100)) == _FEW
    assert len(find(everyone, 0, limit=100)) >= len(find(everyone, 0, limit=100, path="few.md")) == 0
