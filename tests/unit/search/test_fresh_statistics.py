"""Searches are planned by what the tables hold soon after a first upload."""

import time
from pathlib import Path

import psycopg
import pytest

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.platform.local.postgres.binaries import Binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom

# Autovacuum never analyses what is partitioned, only the partitions.
_ANALYSED = """
select count(*) from pg_stat_user_tables
where relname ~ '^(items|(chunks|chunk_terms|embeddings)_[0-9]+)$' and last_autoanalyze is not null
"""


@pytest.mark.slow
def test_tables_are_analysed_soon_after_a_first_upload(tmp_path: Path, postgres_binaries: Binaries) -> None:
    with start_postgres(tmp_path, binaries=postgres_binaries) as server:
        migrate(server.conninfo)
        database = Database(server.conninfo)
        room = IndexRoom(database, WordEmbedder())
        for number in range(120):
            room.add(f"{number}.md", f"subject {number}", index=False)
        room.work()
        database.close()
        with psycopg.connect(server.conninfo, autocommit=True) as session:
            until = time.monotonic() + 40
            while session.execute(_ANALYSED).fetchone() != (4,):
                assert time.monotonic() < until, "by the server's default it takes a minute"
                time.sleep(0.5)
