"""The property tells when what decides about readers is left out: in Python, and in the statements of access.sql.

Each mutant lives through the same days, until one of them differs from the model. Those of the calculus are in
test_calculus.py, those of the statements that read in test_conditions_are_needed.py and
tests/unit/access/test_predicate_everywhere.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from random import Random
from typing import Any

import pytest

from chalicelib.access.store import Holder
from chalicelib.access.tokens import tokens_of
from chalicelib.database.statements import Statement
from chalicelib.database.transaction import Transaction
from chalicelib.errors import LorebaseError
from chalicelib.identity.model import Principal, PrincipalKind, WorkspaceId
from tests.access.readings import CHEAP, compare
from tests.access.steps import MORNING, OFTEN, Step
from tests.access.stored import check_stored
from tests.access.town import Town
from tests.fixtures.lorebases import Lorebase

Mutate = Callable[[pytest.MonkeyPatch], None]

DAYS = 60
"""Days that a mutant may live through before it is one that nothing finds out; most are found out on the first."""


def _nothing(*_args: Any, **_options: Any) -> None:
    """Stand where something is left out."""


def without(module: str, name: str, instead: Callable[..., Any] = _nothing) -> Mutate:
    return lambda monkeypatch: monkeypatch.setattr(import_module(f"chalicelib.{module}"), name, instead)


def reworded(name: str, old: bytes, new: bytes) -> Mutate:
    """Let one statement say something else."""

    def mutate(monkeypatch: pytest.MonkeyPatch) -> None:
        def rewritten(run: Callable[..., Any]) -> Callable[..., Any]:
            def fetch(tx: Transaction, statement: Statement, **parameters: object) -> Any:
                if statement.name == name:
                    if old not in statement.text:
                        pytest.fail(f"the statement {name} reads differently by now; say anew how to break it")
                    statement = replace(statement, text=statement.text.replace(old, new))
                return run(tx, statement, **parameters)

            return fetch

        for method in ("fetch_all", "fetch_one", "execute"):
            monkeypatch.setattr(Transaction, method, rewritten(getattr(Transaction, method)))

    return mutate


def outlives(settled: Lorebase, seed: int) -> bool:
    """Tell whether program and model agree on a day: the same steps for each mutant."""
    chance = Random(seed)
    steps = [Step(chance.choice(OFTEN), *(chance.randrange(1024) for _ in range(4))) for _ in range(45)]
    town = Town(settled)
    try:
        for step in [*MORNING, *steps]:
            step.take(town)
            check_stored(town)
        compare(town, CHEAP)
    except (AssertionError, LorebaseError, LookupError):
        return False
    return True


def _first_alone(principal: Principal, workspace_id: WorkspaceId) -> list[Holder]:
    is_agent = principal.kind is PrincipalKind.AGENT
    return [Holder(tokens_of(principal, workspace_id), is_agent, principal.environment)]


MUTANTS: Mapping[str, Mutate] = {
    "a move keeps its old readers": without("items.write_item", "refresh_item"),
    "a restored item keeps the readers that it had": without("intake.restore_item", "refresh_item"),
    "what was said about a buried item is forgotten": without("items.write_item", "keep_said"),
    "what is said about a folder has no effect": without("sharing.change_access", "refresh_folder"),
    "what is said about an item has no effect": without("sharing.change_access", "refresh_item"),
    "grants on folders have no effect": without("sharing.manage_grants", "refresh_folder"),
    "grants on items have no effect": without("sharing.manage_grants", "refresh_item"),
    "a forgotten folder goes on": without("sharing.manage_folders", "refresh_folder"),
    "writers need not read": without("access.writing", "can_read", lambda *_args: True),
    "everybody may write who may read": without("access.writing", "is_let", lambda *_args: True),
    "grants to write let nobody write": reworded("list_places", b"g.action)", b"'read')"),
    "grants are not read": reworded(
        "list_places", b"g.folder_id = place.folder_id or g.item_id = place.item_id", b"false"
    ),
    "folders on the way are not read": reworded("list_places", b"f.path = any(folders_of(%(path)s))", b"false"),
    "the creator is not read": reworded("list_places", b"p.kind || ':' || p.id\nfrom items", b"null\nfrom items"),
    "deeper folders are not read again": reworded(
        "list_places_around", b"starts_with(f.path, %(folder)s || '/')", b"false"
    ),
    "higher folders are not read again": reworded(
        "list_places_around", b"f.path = any(folders_of(%(folder)s || '/'))", b"f.path = %(folder)s"
    ),
    "items with something said are treated as others": reworded(
        "list_places_around", b"and (i.id in (select", b"and false and (i.id in (select"
    ),
    "the outermost folder decides": reworded("put_audiences_by_folder", b"step.depth desc", b"step.depth"),
    "uploads keep their old readers": reworded(
        "put_audiences_of_placed_uploads", b"where u.workspace_id", b"where false and u.workspace_id"
    ),
    "agents see all environments": reworded(
        "list_audiences", b"and (not %(is_agent)s or t.environment is not distinct from %(environment)s)", b""
    ),
    "one limit of several is enough": reworded("list_audiences", b"having count(*) = held.clauses", b""),
    "one of those who act is enough": without("access.readers", "holders_of", _first_alone),
    "what was granted on a buried item is forgotten": reworded(
        "copy_grants", b"where g.item_id", b"where false and g.item_id"
    ),
}


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", list(MUTANTS))
def test_what_is_left_out_is_found_out(settled: Lorebase, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    MUTANTS[name](monkeypatch)
    assert not all(outlives(settled, seed) for seed in range(DAYS))


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_nothing_is_found_out_where_nothing_is_left_out(settled: Lorebase) -> None:
    assert all(outlives(settled, seed) for seed in range(2))
