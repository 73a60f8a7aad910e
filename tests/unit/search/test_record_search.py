"""What is done to record a search holds no connection while a model is asked."""

import psycopg

from chalicelib.database.database import Database
from chalicelib.platform.ports import Embedded
from chalicelib.search.record_search import record_search
from chalicelib.search.search import SearchRules
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom


class AskingEmbedder(WordEmbedder):
    """Needs the only connection that there is."""

    database: Database | None = None

    def embed_query(self, text: str) -> Embedded:
        if self.database is not None:
            with self.database.transaction(acquire_seconds=0.2):
                pass
        return super().embed_query(text)


def test_no_connection_waits_for_the_embedder(database: Database, conninfo: str) -> None:
    embedder = AskingEmbedder()
    room = IndexRoom(database, embedder)
    room.add("a.md", "railway tickets")
    answer = room.search("railway tickets")
    only = Database(conninfo, pool_size=1)
    embedder.database = only
    with psycopg.connect(conninfo) as session:
        session.execute("update workspaces set record_reads = true")
    record_search(
        only,
        answer,
        principal=room.principal,
        workspace_id=room.workspace_id,
        embedders=room.embedders,
        rules=SearchRules(),
        secret=b"secret",
    )
    only.close()
    with psycopg.connect(conninfo) as session:
        [(left_out,)] = session.execute("select after ->> 'left_out' from activity where action = 'search.asked'")
    assert left_out == "0"
