"""Transactions on a real database."""

from chalicelib.database.database import Database
from chalicelib.database.statements import parse_statements

_SQL = parse_statements(
    """
-- name: create_notes
-- A table of the tests' own.
create table notes (id integer primary key, text text not null)

-- name: insert_note
-- Add a note.
insert into notes (id, text) values (%(id)s, %(text)s)

-- name: list_notes
-- All notes in order.
select id, text from notes order by id
""",
    origin="tests",
)


def test_what_a_transaction_wrote_is_there_for_the_next(database: Database) -> None:
    with database.transaction() as tx:
        tx.execute(_SQL["create_notes"])
        tx.execute(_SQL["insert_note"], id=1, text="a")
    with database.transaction() as tx:
        assert tx.fetch_all(_SQL["list_notes"]) == [{"id": 1, "text": "a"}]
