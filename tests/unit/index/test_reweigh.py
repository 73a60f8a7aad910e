"""Weights follow the average length of a workspace's chunks."""

import pytest

from chalicelib.database.database import Database
from chalicelib.database.statements import parse_statements
from chalicelib.index import statistics
from chalicelib.index.reweigh import reweigh_workspace
from tests.fixtures.indexing import IndexRoom

_SQL = parse_statements(
    """
-- name: list_weights
-- What each chunk was weighed with.
select chunk_id, length, average_length, weights from chunk_terms order by chunk_id
""",
    origin="tests",
)


def test_rows_weighed_for_short_chunks_are_weighed_again_once_chunks_are_long(database: Database) -> None:
    room = IndexRoom(database)
    room.add("short.md", "zebra zebra")
    room.add("long.md", " ".join(f"word{n}" for n in range(150)))
    with database.transaction() as tx:
        rows = tx.fetch_all(_SQL["list_weights"])
        average = statistics.find_statistics(tx, room.workspace_id).average_length
    for row in rows:
        assert row["average_length"] == pytest.approx(average, rel=0.25)
    pivot = 1.2 * (0.25 + 0.75 * rows[0]["length"] / rows[0]["average_length"])
    assert max(rows[0]["weights"].values()) == pytest.approx(3 * 2.2 / (3 + pivot), rel=1e-3)
    assert reweigh_workspace(database, room.workspace_id) == 0
