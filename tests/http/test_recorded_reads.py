"""Reads and searches are recorded where the workspace asks for that, without what was asked or read."""

from typing import Any

import psycopg
import pytest

from chalicelib.access.readers import audiences_of_owners
from chalicelib.identity.model import WorkspaceRole
from tests.fixtures.activity import recorded_by
from tests.fixtures.api import Api
from tests.fixtures.lorebases import Lorebase
from tests.http.test_activity import Desk

QUESTION = "reimbursed railway tickets"
BODY = "Employees are reimbursed for railway tickets within ten days."


@pytest.fixture
def desk(whole_api: Api, lorebase: Lorebase) -> Desk:
    return Desk(whole_api, lorebase)


def ask_for_records(desk: Desk, *, wanted: bool = True) -> None:
    desk.own("PATCH", desk.workspace, json_body={"record_reads": wanted})


def add(desk: Desk, path: str) -> str:
    item_id = desk.own("POST", f"{desk.workspace}/items", json_body={"path": path, "body": f"{BODY} {path}"}).json["id"]
    desk.lorebase.drain()
    return str(item_id)


def done(desk: Desk, method: str, path: str, *, key: str | None = None, **options: Any) -> list[dict[str, Any]]:
    return recorded_by(desk.lorebase.database, lambda: desk.own(method, path, key=key, **options))[1]


def keep_to_owners(desk: Desk, item_id: str) -> None:
    with psycopg.connect(desk.lorebase.database.conninfo) as session:
        session.execute(
            "with kept as (insert into audiences (workspace_id, digest, clauses)"
            " values (%(workspace)s::uuid, sha256('o'),"
            " jsonb_build_array(jsonb_build_array('owner:' || %(workspace)s::uuid)))"
            " on conflict (workspace_id, digest) do update set digest = excluded.digest returning id)"
            " update items set audience_id = (select id from kept) where id = %(item)s",
            {"workspace": str(desk.lorebase.workspace_id), "item": item_id},
        )


def test_reads_are_recorded_only_where_that_is_asked_for(desk: Desk) -> None:
    item_id = add(desk, "a.md")
    reads = [
        ("GET", f"{desk.workspace}/items/{item_id}"),
        ("GET", f"{desk.workspace}/items/{item_id}?revision=1"),
        ("GET", f"{desk.workspace}/items/{item_id}/chunks"),
    ]
    assert [done(desk, *read, key=desk.editor_key) for read in reads] == [[], [], []]
    ask_for_records(desk)
    for read in reads:
        [entry] = done(desk, *read, key=desk.editor_key)
        assert (entry["action"], str(entry["subject_id"]), entry["actor_id"]) == ("item.read", item_id, desk.editor.id)
        assert entry["after"] == {"revision": 1}
    ask_for_records(desk, wanted=False)
    assert done(desk, *reads[0]) == []


def test_what_lies_in_the_trash_is_read_too(desk: Desk) -> None:
    item_id = add(desk, "a.md")
    desk.own("DELETE", f"{desk.workspace}/items/{item_id}")
    ask_for_records(desk)
    [entry] = done(desk, "GET", f"{desk.workspace}/trash/{item_id}")
    assert (entry["action"], str(entry["subject_id"]), entry["after"]) == ("item.read", item_id, {"revision": 1})


def test_what_the_reader_has_already_is_no_read(desk: Desk) -> None:
    item_id = add(desk, "a.md")
    ask_for_records(desk)
    assert done(desk, "GET", f"{desk.workspace}/items/{item_id}", headers={"If-None-Match": '"1"'}) == []


def test_a_search_is_recorded_without_its_words(desk: Desk) -> None:
    add(desk, "a.md")
    search = ("GET", f"{desk.workspace}/search")
    assert done(desk, *search, query={"q": QUESTION}) == []
    ask_for_records(desk)
    [entry], [again], [other] = (
        done(desk, *search, key=desk.editor_key, query={"q": words}) for words in (QUESTION, QUESTION, "railway")
    )
    assert (entry["action"], entry["actor_id"]) == ("search.asked", desk.editor.id)
    after = entry["after"]
    assert (after["characters"], after["hits"], after["left_out"]) == (len(QUESTION), 1, 0)
    assert again["after"]["digest"] == after["digest"] != other["after"]["digest"]
    assert [word for word in QUESTION.split() if word in str(entry)] == []
    assert done(desk, "POST", search[1], json_body={"query": QUESTION})[0]["action"] == "search.asked"


def test_it_is_told_to_owners_how_much_was_left_out_for_the_asker_and_not_to_the_asker(desk: Desk) -> None:
    shown, kept, private = (add(desk, path) for path in ("a.md", "b.md", "c.md"))
    keep_to_owners(desk, kept)
    desk.keep_to(desk.lorebase.member(WorkspaceRole.EDITOR).id, private)
    ask_for_records(desk)
    answered = desk.own("GET", f"{desk.workspace}/search", key=desk.editor_key, query={"q": QUESTION})
    assert [hit["item_id"] for hit in answered.json["hits"]] == [shown]
    assert "left_out" not in answered.text
    [entry] = desk.entries(action="search.asked")
    assert (entry["after"]["hits"], entry["after"]["left_out"]) == (1, 1)
    desk.own("GET", f"{desk.workspace}/search", query={"q": QUESTION})
    [latest, _] = desk.entries(action="search.asked")
    assert (latest["after"]["hits"], latest["after"]["left_out"]) == (2, 0), "what owners may not read is no number"


def test_what_is_left_out_is_counted_within_the_filters_and_the_limit(desk: Desk) -> None:
    for path in ("here/a.md", "here/b.md", "there/c.md"):
        keep_to_owners(desk, add(desk, path))
    ask_for_records(desk)
    for query, left_out in (({"folder": "here"}, 2), ({"limit": 1}, 1), ({}, 3)):
        [entry] = done(desk, "GET", f"{desk.workspace}/search", key=desk.editor_key, query={"q": QUESTION, **query})
        assert entry["after"]["left_out"] == left_out


def test_owners_are_in_every_audience_that_is_not_kept_from_them(desk: Desk) -> None:
    desk.keep_to(desk.editor.id, add(desk, "a.md"))
    keep_to_owners(desk, add(desk, "b.md"))
    with desk.lorebase.database.transaction() as tx:
        found = audiences_of_owners(tx, desk.lorebase.workspace_id)
    with psycopg.connect(desk.lorebase.database.conninfo) as session:
        rows = session.execute("select id from audiences where clauses::text not like %s", ["%user:%"]).fetchall()
    assert sorted(found) == sorted(row[0] for row in rows)
    assert len(found) == 2
