"""However a statement is written, what it reads is seen: the patterns of test_statements.py, tried on shapes of SQL.

And what was said about who may read, bodies and originals: every statement on these is listed with its reason.
"""

import re

import pytest

from tests.architecture.test_statements import STATEMENTS, asks, branches, reads_guarded, without_comments

_SAID = r"(bodies|originals|access_settings|grants|folders)"
_READS_SAID = re.compile(
    rf'(?:\b(?:from|join|using|table)\s+|,\s*(?={_SAID}\s+[a-z_]+\b))(?:lateral\s+)?(?:only\s+)?(?:public\.)?"?{_SAID}\b',
    re.IGNORECASE,
)
_OWNERS = "owners alone ask, by use cases that let nobody else"

READ_SAID = {
    "access:said": "part of list_places: what decides who may read",
    "access:copy_settings": "what was said about a deleted item holds on for its successor",
    "access:copy_grants": "what was said about a deleted item holds on for its successor",
    "identity:count_uses": "an admin deletes an environment that nothing is in: a number",
    "identity:whole_principal": "somebody is a guest where something is open to them",
    "index:find_context": "the worker compares a body with the one that was described",
    "items:outermost_folders": "part of statements that read items",
    "knowledge_bases:delete_base_grant": "whoever may share the knowledge base",
    "knowledge_bases:list_base_grants": "whoever may share the knowledge base",
    "knowledge_bases:visible_base": "part of what decides who sees a knowledge base",
    "knowledge_bases:base_columns": "part of what decides who changes a knowledge base",
    "knowledge_bases:add_folders": "the use case asks whether the member may read there",
    "knowledge_bases:remove_folders": "the use case asks whether the member may read there",
    "sharing:list_grants_to": _OWNERS,
    "sharing:find_folder": _OWNERS,
    "sharing:find_folder_at": _OWNERS,
    "sharing:list_folders": _OWNERS,
    "sharing:delete_folder": _OWNERS,
    "sharing:delete_settings": _OWNERS,
    "sharing:delete_grant": _OWNERS,
    "sharing:delete_grants": _OWNERS,
    "sharing:list_grants": _OWNERS,
    "sharing:find_grant": _OWNERS,
}
"""Statements on what was said that do not read items for an asker, each with its reason."""

WITHOUT_WORKSPACE = {
    "access:said": "list_places names it",
    "items:outermost_folders": "the statements that it is put into name it",
}

SHAPES = [
    "select * from items",
    "select * from items inner_i where true",
    "select * from\n  items i",
    "SELECT * FROM Items",
    'select * from "items" i',
    "select * from public.items i",
    "select * from only items i",
    "select * from /* hidden */ items i",
    "select * from -- hidden\n items i",
    "select * from folders f, items i where true",
    "select * from folders f,items i where true",
    "select * from folders f join lateral (select * from items i) x on true",
    "select * from folders f cross join uploads",
    "with seen as (select * from revisions) select * from seen",
    "delete from folders f using items i where i.id = f.id",
    "update folders f set path = i.path from items i",
    "insert into folders select id from chunks",
    "merge into folders f using items i on true when matched then delete",
    "select (select count(*) from uploads)",
    "select 1 where exists (table items)",
]


@pytest.mark.parametrize("text", SHAPES)
def test_a_statement_that_reads_is_seen_however_it_is_written(text: str) -> None:
    assert reads_guarded(text)


@pytest.mark.parametrize(
    "text",
    [
        "delete from items where id = %(id)s",
        "insert into items (id) values (1)",
        "select items from workspace_usage",
        "insert into workspace_usage as u (workspace_id, items, uploads, chunks) values (1, 2, 3, 4)",
        "select * from item_agents",
    ],
)
def test_a_statement_that_reads_nothing_is_let_be(text: str) -> None:
    assert not reads_guarded(text)


@pytest.mark.parametrize(
    "text",
    [
        "select * from items i -- readable(i.audience_id, %(audiences)s)",
        "select * from items i /* readable(i.audience_id, %(audiences)s) */",
        "select * from items i where readable(i.audience_id, %(all)s)",
        "select * from items i where readable(null, %(audiences)s)",
    ],
)
def test_what_looks_like_asking_is_none(text: str) -> None:
    assert not asks(text)


def test_each_branch_of_a_union_asks_for_itself() -> None:
    asked = "select i.id from items i where readable(i.audience_id, %(audiences)s)"
    assert [asks(branch) for branch in branches(f"{asked} union all select u.id from uploads u")] == [True, False]


@pytest.mark.parametrize(
    "name", [name for name, text in STATEMENTS.items() if _READS_SAID.search(without_comments(text))]
)
def test_a_statement_on_what_was_said_has_its_reason(name: str) -> None:
    text = STATEMENTS[name]
    assert asks(text) or reads_guarded(text) or name in READ_SAID
    assert "workspace_id" in text or name in WITHOUT_WORKSPACE


def test_no_reason_outlives_its_statement() -> None:
    assert (set(READ_SAID) | set(WITHOUT_WORKSPACE)) - set(STATEMENTS) == set()
