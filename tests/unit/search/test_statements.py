"""What the driver does with the statements of a search."""

import re

import pytest
from psycopg._queries import MAX_CACHED_STATEMENT_LENGTH, MAX_CACHED_STATEMENT_PARAMS

from chalicelib.database.statements import Statement
from chalicelib.search import hits_store, store

_STATEMENTS = {**store._SQL, **hits_store._SQL}


@pytest.mark.parametrize("statement", _STATEMENTS.values(), ids=_STATEMENTS)
def test_the_driver_remembers_how_it_read_a_statement(statement: Statement) -> None:
    text = statement.text.replace(b"<chunk_terms>", b"chunk_terms_15")
    assert len(text) <= MAX_CACHED_STATEMENT_LENGTH
    assert len(set(re.findall(rb"%\((\w+)\)", text))) <= MAX_CACHED_STATEMENT_PARAMS
