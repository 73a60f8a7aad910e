"""Every statement that asks for the audience asks for the workspace too, and for what lives; each is needed.

tests/unit/access/test_predicate_everywhere.py takes the predicate out of each statement; here go the other two.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.access.readers import audiences_of
from chalicelib.database.statements import Statement
from chalicelib.database.transaction import Transaction
from tests.fixtures.lorebases import Lorebase
from tests.unit.access import test_predicate_everywhere as everywhere
from tests.unit.access.test_predicate_everywhere import READ_BY_STATEMENT, Asked

_BURY = Statement("bury", "Let everything be deleted, its chunks left behind.", b"update items set deleted_at = now()")
_NOTHING = Statement("nothing", "Do nothing.", b"select")
_WORKSPACE = re.compile(rb"\b(?:\w+\.)?workspace_id = (?:%\(workspace_id\)s|\w+\.workspace_id)")
_LIVES = re.compile(rb"\b(?:\w+\.)?deleted_at is (?:not )?null")

READ_BOTH = {
    "survey_folder": "what lies in the trash of a folder moves with it",
    "list_subjects": "the path of an upload stays in sight; that of its item does not",
    "list_activity": "who may read an item reads of its deletion as well",
    "list_readable": "what went away since it was found is left out when hits are read",
    "list_citations": "an editor sees what cites an item in the trash as well",
    "list_citations_of_answer": "an editor sees what cites an item in the trash as well",
}
"""Statements that read the trash beside what lives, each with its reason."""

OF_ORGANIZATIONS = {"list_activity": "admins read it for all workspaces of their organization"}
"""Statements that a workspace only filters, each with its reason."""

Look = Callable[[], Any]
Told = dict[str, list[bytes]]


class UndoneError(Exception):
    """Ends a transaction without a trace."""


@pytest.fixture(scope="module")
def look(settled: Lorebase) -> Look:
    """Opens a transaction, undone at its end, in a workspace with one item, read out of one upload."""
    upload = settled.upload("victim/victim.md", b"# Victim\n\nThe victim plan.", tags=["victim"])
    settled.drain()
    (item,) = settled.items()

    @contextmanager
    def look_once() -> Iterator[Asked]:
        try:
            with settled.database.transaction() as tx:
                audiences = audiences_of(tx, settled.owner, settled.workspace_id)
                yield Asked(tx, settled.workspace_id, audiences, item.id, upload.id)
                raise UndoneError  # noqa: TRY301  the block has ended
        except UndoneError:
            pass

    return look_once


def rewrite(monkeypatch: pytest.MonkeyPatch, name: str, condition: re.Pattern[bytes] | None) -> Told:
    """Let the statement of this name hold no such condition; return the texts that are run, by name."""
    told: Told = {}

    def rewritten(run: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(tx: Transaction, statement: Statement, **parameters: object) -> Any:
            told.setdefault(statement.name, []).append(statement.text)
            if statement.name == name and condition is not None:
                statement = replace(statement, text=condition.sub(b"true", statement.text))
            return run(tx, statement, **parameters)

        return fetch

    for method in ("fetch_all", "fetch_one", "execute"):
        monkeypatch.setattr(Transaction, method, rewritten(getattr(Transaction, method)))
    return told


def test_no_exception_outlives_its_statement() -> None:
    assert (set(READ_BOTH) | set(OF_ORGANIZATIONS)) - set(READ_BY_STATEMENT) == set()


@pytest.mark.parametrize("name", sorted(set(READ_BY_STATEMENT) - set(OF_ORGANIZATIONS)))
def test_another_workspace_is_left_out_by_this_statement_itself(
    name: str, look: Look, settled: Lorebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = settled.found("Elsewhere").workspace.id
    read = READ_BY_STATEMENT[name]
    with look() as here:
        assert read(here)
    with look() as here:
        assert not read(replace(here, workspace_id=elsewhere))
    rewrite(monkeypatch, name, _WORKSPACE)
    with look() as here:
        assert read(replace(here, workspace_id=elsewhere))


@pytest.mark.parametrize("name", sorted(set(READ_BY_STATEMENT) - set(READ_BOTH)))
def test_what_is_in_the_trash_is_told_from_what_lives_by_this_statement_itself(
    name: str, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = READ_BY_STATEMENT[name]
    told = rewrite(monkeypatch, name, None)
    with look() as here:
        assert read(here)
    if not any(_LIVES.search(text) for text in told[name]):
        assert "upload" in name  # which stays in sight with its item in the trash
        return
    is_of_trash = any(b"deleted_at is not null" in text for text in told[name])
    monkeypatch.setattr(everywhere, "_BURY", _NOTHING)

    def other() -> object:
        """Read what lives where the statement reads the trash, and the other way around."""
        with look() as here:
            here.tx.execute(_NOTHING if is_of_trash else _BURY)
            return read(here)

    assert not other()
    rewrite(monkeypatch, name, _LIVES)
    assert other()
