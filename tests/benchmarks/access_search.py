"""Searches by somebody who may read little: `python -m tests.benchmarks.access_search [CHUNKS]`.

So many synthesised chunks (30,000), ten an item. A share of the items is readable, spread over as many audiences as
the asker has tokens. Printed for each mode are p50, p95 and processor time in milliseconds, their ratios to those of
somebody who reads everything by one token, asked just before and after, and how many of the ten nearest a semantic
search finds.
"""

import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from chalicelib.access import store as access
from chalicelib.access.model import Audience
from chalicelib.access.readers import audiences_of
from chalicelib.access.tokens import team_token
from chalicelib.database.ids import new_id
from chalicelib.database.statements import parse_statements
from chalicelib.identity.model import Principal, TeamId, WorkspaceRole
from chalicelib.index.spaces import find_space
from chalicelib.items.model import ItemFilters
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.ports import Embedded, Vectors
from chalicelib.search import store
from chalicelib.search.model import Level, SearchAnswer
from chalicelib.search.store import Reach
from tests.benchmarks.copies import copy_all
from tests.benchmarks.crowds import all_processor_seconds, server_of_databases, vacuum
from tests.benchmarks.search import QUESTIONS, add_synthesised, timed
from tests.fixtures.indexing import IndexRoom, member_of

_CHUNKS = 30_000
_SHARES = (0.001, 0.01, 0.5, 1.0)
_TOKENS = (1, 50, 1000)
_COPIES = 10
_ROUNDS = 3

_SQL = parse_statements(
    """
-- name: vectors
-- Some vectors, to ask near them.
select embedding from embeddings order by md5(chunk_id::text) limit %(vectors)s

-- name: give
-- Give the readable share of the items these audiences in turn, and the rest what nobody asks for.
update items i set audience_id = case
    when ranked.number <= ranked.items * %(share)s::float8
    then (%(audiences)s::bigint[])[1 + ranked.number %% cardinality(%(audiences)s::bigint[])]
    else %(hidden)s end
from (select id, row_number() over (order by md5(id::text)) as number, count(*) over () as items from items) ranked
where ranked.id = i.id
""",
    origin="benchmarks",
)


Times = tuple[float, float, float]


class NearEmbedder:
    """Puts each question near a vector that is there, at once, so that the lanes alone are measured."""

    space = "near/384"
    dimensions = 384
    languages: frozenset[str] | None = None

    def __init__(self) -> None:
        self.vectors: list[Vectors] = []

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        raise NotImplementedError(texts)

    def embed_query(self, text: str) -> Embedded:
        drawn = np.random.default_rng(len(text)).normal(size=self.dimensions)
        near = self.vectors[QUESTIONS.index(text)]
        mixed = near / np.linalg.norm(near) + drawn / np.linalg.norm(drawn)
        return Embedded(np.asarray(mixed, np.float32)[None], 0)


class Scene:
    """One workspace and who asks in it."""

    def __init__(self, room: IndexRoom, embedder: NearEmbedder) -> None:
        self.room, self.embedder = room, embedder
        member = member_of(room.database, room.organization_id, room.workspace_id, role=WorkspaceRole.VIEWER)
        self._askers = {
            count: replace(member, roles_by_workspace={room.workspace_id: WorkspaceRole.GUEST}, team_ids=teams)
            for count in _TOKENS
            for teams in [frozenset(TeamId(new_id()) for _ in range(count))]
        }

    def give(self, share: float, tokens: int) -> Principal:
        """Let a share of the items be readable by one of so many tokens; return who holds them."""
        asker = self._askers[tokens]
        with self.room.database.transaction() as tx:
            said = [Audience((frozenset({team_token(team)}),)) for team in asker.team_ids]
            numbers = access.put_audiences(tx, self.room.workspace_id, said)
            hidden = access.put_audience(tx, self.room.workspace_id, Audience((frozenset({"user:nobody"}),)))
            tx.execute(_SQL["give"], share=share, audiences=list(numbers.values()), hidden=hidden)
            access.delete_unused_audiences(tx, self.room.workspace_id)
        vacuum(self.room.database, "items")
        return asker

    def ask(self, asker: Principal, mode: Mode) -> Times:
        """Return p50 and p95 of all questions, and the processor time of one, in milliseconds."""
        calls = [partial(self._search, asker, mode, question) for question in QUESTIONS]
        for call in calls:
            call()
        used = self._processor_seconds()
        p50, p95 = timed(calls, rounds=_ROUNDS)
        return p50, p95, (self._processor_seconds() - used) * 1000 / len(calls) / (_ROUNDS + 1)

    def _processor_seconds(self) -> float:
        with self.room.database.transaction() as tx:
            return all_processor_seconds(tx)

    def recall(self, asker: Principal) -> float:
        """Return which share of the ten nearest chunks semantic searches find."""
        shares = []
        for question in QUESTIONS:
            found = {hit.chunk_id for hit in self._search(asker, Mode.SEMANTIC, question).hits}
            nearest = self._nearest(asker, question)
            shares.append(len(found & nearest) / len(nearest) if nearest else 1.0)
        return statistics.fmean(shares)

    def _search(self, asker: Principal, mode: Mode, question: str) -> SearchAnswer:
        return self.room.search(question, principal=asker, mode=mode)

    def _nearest(self, asker: Principal, question: str) -> set[UUID]:
        with self.room.database.transaction() as tx:
            reach = Reach(self.room.workspace_id, audiences_of(tx, asker, self.room.workspace_id), ItemFilters())
            space_id = find_space(tx, name=self.embedder.space)
            assert space_id is not None
            vector = HalfVector(self.embedder.embed_query(question).vectors.reshape(-1))
            found = store.rank_exactly(tx, reach, level=Level.CHUNK, space_id=space_id, vector=vector, limit=10)
        return {candidate.chunk_id for candidate in found}


def measure(scene: Scene) -> None:
    """Print a line for each share, number of tokens and mode."""
    print("readable, tokens: mode p50, p95, processor (ratios to all readable by one token); recall of the ten nearest")
    before = _times(scene, scene.give(1.0, 1))
    for share, tokens in product(_SHARES, _TOKENS):
        asker = scene.give(share, tokens)
        times, recall = _times(scene, asker), scene.recall(asker)
        after = _times(scene, scene.give(1.0, 1))
        told = [_told(mode, times[mode], before[mode], after[mode]) for mode in Mode]
        print(f"  {share:.1%}, {tokens}: {'; '.join(told)}; {recall:.2f}", flush=True)
        before = after


def _times(scene: Scene, asker: Principal) -> dict[Mode, Times]:
    return {mode: scene.ask(asker, mode) for mode in Mode}


def _told(mode: Mode, times: Times, before: Times, after: Times) -> str:
    ratios = [f"{2 * time / (one + other):.2f}" for time, one, other in zip(times, before, after, strict=True)]
    return f"{mode} {', '.join(f'{time:.0f}' for time in times)} ({', '.join(ratios)})"


def main(arguments: Sequence[str]) -> None:
    """Build the workspace and measure."""
    with server_of_databases() as make:
        room = IndexRoom(make())
        embedder = NearEmbedder()
        chunks = int(arguments[0]) if arguments else _CHUNKS
        add_synthesised(room, chunks // _COPIES, embedder, chunks_per_item=10)
        copy_all(room.database, copies=_COPIES)
        vacuum(room.database)
        ask_in(room, embedder)


def ask_in(room: IndexRoom, embedder: NearEmbedder) -> None:
    """Measure in a workspace that is there."""
    room.embedder = embedder
    with room.database.transaction() as tx:
        rows = tx.fetch_all(_SQL["vectors"], vectors=len(QUESTIONS))
    embedder.vectors = [np.asarray(row["embedding"].to_numpy(), np.float32) for row in rows]
    measure(Scene(room, embedder))


if __name__ == "__main__":
    main(sys.argv[1:])
