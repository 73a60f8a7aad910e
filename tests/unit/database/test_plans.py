"""Statements are planned for what they ask, and not once for all."""

from chalicelib.database.database import Database
from chalicelib.database.statements import parse_statements

_SQL = parse_statements(
    """
-- name: create_notes
-- A table to write to.
create table notes (id integer primary key, text text)

-- name: update_note
-- Change a note.
update notes set text = %(text)s where id = %(id)s

-- name: count_plans
-- How often prepared statements of this connection were planned for their parameters, and how often for any.
select sum(custom_plans)::int as custom, sum(generic_plans)::int as generic from pg_prepared_statements
""",
    origin="tests",
)


def test_a_statement_is_planned_for_its_parameters_however_often_it_runs(empty_conninfo: str) -> None:
    database = Database(empty_conninfo, pool_size=1)
    with database.transaction() as tx:
        tx.execute(_SQL["create_notes"])
    for number in range(20):
        with database.transaction() as tx:
            tx.execute(_SQL["update_note"], id=number, text="later")
    with database.transaction() as tx:
        plans = tx.fetch_one(_SQL["count_plans"])
    database.close()
    assert plans is not None
    assert plans["generic"] == 0
    assert plans["custom"] >= 10
