"""Statement files are read whole, or refused."""

import pytest

from chalicelib.database.statements import parse_statements

_TWO = """-- name: find_item
-- One living item.
select 1
where true

-- name: list_items
-- All of them.
select 2
"""


def test_statements_keep_their_order_names_and_intents() -> None:
    parsed = parse_statements(_TWO, origin="x.sql")
    assert [(s.name, s.intent, s.text) for s in parsed.values()] == [
        ("find_item", "One living item.", b"select 1\nwhere true"),
        ("list_items", "All of them.", b"select 2"),
    ]


def test_a_statement_without_an_intent_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks its name or its line of intent"):
        parse_statements(_TWO + "-- name: other\nselect 3\n", origin="x.sql")


def test_a_name_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="find_item is there twice"):
        parse_statements(_TWO + _TWO, origin="x.sql")
