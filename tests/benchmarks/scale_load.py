"""Fills a database with drawn passages over many workspaces of Zipf-like size, by COPY: for tests.benchmarks.scale.

What is written is what `index_item` would write. Foreign keys are not checked meanwhile, and the indexes over terms and
vectors are made at the end, with the product's own definitions.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from uuid import UUID

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from chalicelib.access import store as access
from chalicelib.access.model import Audience
from chalicelib.access.tokens import team_token
from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.identity.model import OrganizationId, TeamId, WorkspaceId
from chalicelib.index.bm25 import TermCounts, term_number, weigh
from chalicelib.index.spaces import ensure_space
from tests.benchmarks.scale_passages import TOPICS, Base, DrawnPassage, draw
from tests.fixtures.jobs import add_workspaces

WORKSPACES = 100
SHARES = (0.001, 0.01, 0.1, 1.0)
_ZIPF = 1.5
_CHUNKS_PER_ITEM = 10
_SLICE = 5000
_BODY = hashlib.sha256(b"body").digest()
_DEFERRED = ("chunk_terms_terms", "embeddings_space_%d")
_TABLES = {
    "items": (
        "id, workspace_id, kind, class, scope, status, path, title, language, indexed_language, audience_id, revision,"
        " body_sha256, body_bytes, index_state, indexed_revision, chunk_count"
    ),
    "chunks": (
        "workspace_id, id, item_id, ordinal, heading_path, body_start, body_end, text, tokens, language,"
        " content_sha256, embedded_sha256"
    ),
    "chunk_terms": "workspace_id, chunk_id, item_id, language, terms, weights, length, average_length",
    "embeddings": "workspace_id, chunk_id, space_id, item_id, language, embedded_sha256, embedding",
}
_TYPES = {
    "items": "uuid uuid text text text text text text text text int8 int4 bytea int4 text int4 int4",
    "chunks": "uuid uuid uuid int4 text[] int4 int4 text int4 text bytea bytea",
    "chunk_terms": "uuid uuid uuid text int4[] sparsevec float4 float4",
    "embeddings": "uuid uuid int2 uuid text bytea halfvec",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """What a filled database holds. The workspaces are in order of their chunks, the most first.

    `teams` may read SHARES of each workspace, each what those before it may as well.
    """

    organization_id: OrganizationId
    workspaces: Sequence[WorkspaceId]
    chunks: Sequence[int]
    teams: Sequence[TeamId]


def sizes(chunks: int) -> list[int]:
    """Share out so many chunks by Zipf's law."""
    parts = 1 / np.arange(1, WORKSPACES + 1) ** _ZIPF
    return [max(int(part), 1) for part in parts / parts.sum() * chunks]


def fill(database: Database, base: Base, *, chunks: int, space: str, say: Callable[[str], None]) -> Layout:
    """Write so many chunks and return where they are."""
    workspaces = add_workspaces(database, WORKSPACES)
    teams = [TeamId(new_id()) for _ in SHARES]
    with database.transaction() as tx:
        space_id = ensure_space(tx, name=space, dimensions=base.vectors.shape[1])
    chance = np.random.default_rng(chunks)
    average = float(np.mean([len(passage.text.split()) for passage in islice(_some(base, chance), 300)]) * 1.1)
    with psycopg.connect(database.conninfo, autocommit=True) as connection:
        register_vector(connection)
        connection.execute("set session_replication_role = replica")
        connection.execute("set maintenance_work_mem = '1500MB'")
        connection.execute("set max_parallel_maintenance_workers = 1")
        made_again = _drop_deferred(connection, space_id)
        for workspace, size in zip(workspaces, sizes(chunks), strict=True):
            rank = workspaces.index(workspace) + 1
            topics = chance.choice(TOPICS, size=max(TOPICS // rank, 1), replace=False)
            drawn = islice(draw(base, chance, topics, copies=max(chunks // len(base.passages), 1)), size)
            audiences = _audiences(database, workspace.id, teams)
            _Writer(connection, workspace.id, space_id, audiences, chance, average).write(drawn)
            if size >= 1000:
                say(f"{workspace.id}: {size}")
        for definition in made_again:
            connection.execute(definition.encode())
            say(definition[:90])
        connection.execute("vacuum analyze")
    return Layout(workspaces[0].organization_id, [one.id for one in workspaces], sizes(chunks), teams)


def keep_layout(path: Path, layout: Layout) -> None:
    """Remember what a filled database holds."""
    workspaces = [[str(workspace_id), str(layout.organization_id)] for workspace_id in layout.workspaces]
    teams = [str(team) for team in layout.teams]
    path.write_text(json.dumps({"workspaces": workspaces, "chunks": list(layout.chunks), "teams": teams}), "utf-8")


def read_layout(path: Path) -> Layout:
    """Return what keep_layout remembered."""
    kept = json.loads(path.read_text("utf-8"))
    return Layout(
        OrganizationId(UUID(kept["workspaces"][0][1])),
        [WorkspaceId(UUID(workspace_id)) for workspace_id, _ in kept["workspaces"]],
        kept["chunks"],
        [TeamId(UUID(team)) for team in kept["teams"]],
    )


def _some(base: Base, chance: np.random.Generator) -> Iterator[DrawnPassage]:
    return draw(base, chance, np.arange(TOPICS), copies=1)


def _drop_deferred(connection: psycopg.Connection, space_id: int) -> list[str]:
    names = [name % space_id if "%" in name else name for name in _DEFERRED]
    definitions = []
    for name in names:
        row = connection.execute("select pg_get_indexdef(%s::regclass)", [name]).fetchone()
        assert row is not None
        definitions.append(str(row[0]).replace(" ON ONLY ", " ON "))
    for name in names:
        connection.execute(f"drop index {name}")
    return definitions


def _audiences(database: Database, workspace_id: WorkspaceId, teams: Sequence[TeamId]) -> list[int]:
    with database.transaction() as tx:
        return [access.put_audience(tx, workspace_id, Audience((frozenset({team_token(team)}),))) for team in teams]


@dataclass
class _Writer:
    """Writes a workspace's items slice by slice, and at the end what is counted over them."""

    connection: psycopg.Connection
    workspace_id: WorkspaceId
    space_id: int
    audiences: Sequence[int]
    chance: np.random.Generator
    average: float
    numbers: dict[str, int] = field(default_factory=dict)
    terms: Counter[int] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    lengths: Counter[str] = field(default_factory=Counter)

    def write(self, drawn: Iterator[DrawnPassage]) -> None:
        self.connection.execute(
            "insert into bodies values (%s, %s, 'body') on conflict do nothing", [self.workspace_id, _BODY]
        )
        while batch := list(islice(drawn, _SLICE)):
            self._write_slice(batch)
        self._write_statistics()

    def _write_slice(self, batch: Sequence[DrawnPassage]) -> None:
        rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in _TABLES}
        at = 0
        while at < len(batch):
            count = min(int(self.chance.geometric(1 / _CHUNKS_PER_ITEM)), len(batch) - at)
            self._add_item(rows, batch[at : at + count])
            at += count
        for table, columns in _TABLES.items():
            with self.connection.cursor().copy(f"copy {table} ({columns}) from stdin (format binary)") as copy:
                copy.set_types(_TYPES[table].split())
                for row in rows[table]:
                    copy.write_row(row)

    def _add_item(self, rows: dict[str, list[tuple[object, ...]]], passages: Sequence[DrawnPassage]) -> None:
        item_id, workspace_id = new_id(), self.workspace_id
        share = int(np.searchsorted(SHARES, self.chance.random()))
        rows["items"].append(
            (
                *(item_id, workspace_id, "page", "freeform", "library", "active", f"{item_id}.md", f"Item {item_id}"),
                *(None, passages[0].language, self.audiences[share], 1, _BODY, 4, "ready", 1, len(passages)),
            )
        )
        for ordinal, passage in enumerate(passages):
            chunk_id = new_id()
            sha256 = hashlib.sha256(chunk_id.bytes).digest()
            key, language = (workspace_id, chunk_id, item_id), passage.language
            tokens = passage.length * 4 // 3
            rows["chunks"].append(
                (*key, ordinal, [], 0, len(passage.text), passage.text, tokens, language, sha256, sha256)
            )
            counted = TermCounts({self._number(term): count for term, count in passage.terms.items()}, passage.length)
            weights = weigh(counted, average_length=self.average)
            rows["chunk_terms"].append(
                (*key, language, sorted(counted.counts), weights, float(passage.length), self.average)
            )
            vector = HalfVector(passage.vector)
            rows["embeddings"].append((workspace_id, chunk_id, self.space_id, item_id, language, sha256, vector))
            self.terms.update(counted.counts.keys())
            self.languages[language] += 1
            self.lengths[language] += passage.length

    def _number(self, term: str) -> int:
        if term not in self.numbers:
            self.numbers[term] = term_number(UUID(str(self.workspace_id)), term)
        return self.numbers[term]

    def _write_statistics(self) -> None:
        with self.connection.cursor().copy("copy term_statistics (workspace_id, term, chunks) from stdin") as copy:
            for term, count in self.terms.items():
                copy.write_row((self.workspace_id, term, count))
        with self.connection.cursor().copy(
            "copy language_statistics (workspace_id, language, chunks, length) from stdin"
        ) as copy:
            for language, count in self.languages.items():
                copy.write_row((self.workspace_id, language, count, self.lengths[language]))
