"""What was done is recorded with the change or not at all, stays for good, and holds no content."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.moments import first_id_at, moment_of
from chalicelib.audit.record_activity import CONTENT, differences, record
from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.identity.model import ApiKeyId, KeyScope, WorkspaceRole
from chalicelib.telemetry.correlation import correlated
from tests.fixtures.lorebases import Lorebase


def entries(conninfo: str) -> list[dict[str, Any]]:
    with psycopg.connect(conninfo, row_factory=dict_row) as session:
        return session.execute("select * from activity where action <> 'organization.created' order by id").fetchall()


def note(lorebase: Lorebase, **fields: Any) -> None:
    given = {
        "principal": lorebase.owner,
        "workspace_id": lorebase.workspace_id,
        "action": ActivityAction.TEAM_CREATED,
        "subject_kind": SubjectKind.TEAM,
        "subject_id": new_id(),
    }
    with lorebase.database.transaction() as tx:
        record(tx, **{**given, **fields})


def last(lorebase: Lorebase) -> dict[str, Any]:
    return entries(lorebase.database.conninfo)[-1]


def test_an_entry_says_who_did_what_to_which_thing_when_and_in_which_request(lorebase: Lorebase) -> None:
    subject = new_id()
    with correlated("request-7"):
        note(lorebase, subject_id=subject, before={"role": "viewer"}, after={"role": "owner"})
    entry = last(lorebase)
    assert (datetime.now(UTC) - entry["recorded_at"]).total_seconds() < 60
    owner = lorebase.owner
    assert {name: entry[name] for name in entry if name not in {"id", "recorded_at"}} == {
        "organization_id": owner.organization_id,
        "workspace_id": lorebase.workspace_id,
        "actor_id": owner.id,
        "actor_kind": "user",
        "actor_name": owner.name,
        "api_key_id": None,
        "on_behalf_of": None,
        "request_id": "request-7",
        "action": "team.created",
        "outcome": "done",
        "subject_kind": "team",
        "subject_id": subject,
        "is_kept_from_owners": False,
        "before": {"role": "viewer"},
        "after": {"role": "owner"},
    }


def test_what_is_rolled_back_was_not_done(lorebase: Lorebase) -> None:
    before = entries(lorebase.database.conninfo)

    class Failure(Exception):
        pass

    with pytest.raises(Failure), lorebase.database.transaction() as tx:
        record(
            tx,
            principal=lorebase.owner,
            workspace_id=None,
            action=ActivityAction.TEAM_CREATED,
            subject_kind=SubjectKind.TEAM,
            subject_id=None,
        )
        raise Failure
    assert entries(lorebase.database.conninfo) == before


def test_what_no_principal_did_is_of_the_workspaces_organization(lorebase: Lorebase) -> None:
    note(lorebase, principal=None)
    entry = last(lorebase)
    assert (entry["organization_id"], entry["actor_id"]) == (lorebase.owner.organization_id, None)


def test_values_are_written_as_json(lorebase: Lorebase) -> None:
    at, subject = datetime(2026, 1, 2, tzinfo=UTC), new_id()
    note(lorebase, after={"at": at, "ids": [subject], "scopes": frozenset(KeyScope), "none": None, "n": 3})
    assert last(lorebase)["after"] == {
        "at": "2026-01-02T00:00:00+00:00",
        "ids": [str(subject)],
        "scopes": ["admin", "read", "write"],
        "none": None,
        "n": 3,
    }


@pytest.mark.parametrize("name", sorted(CONTENT))
def test_content_is_refused_at_any_depth(lorebase: Lorebase, name: str) -> None:
    for fields in ({name: "x"}, {"deeper": {name: "x"}}, {"listed": [{name: "x"}]}):
        with pytest.raises(ValueError, match="content is not recorded"):
            note(lorebase, after=fields)
        with pytest.raises(ValueError, match="content is not recorded"):
            note(lorebase, before=fields)


def test_differences_are_those_of_the_fields_that_are_there_afterwards() -> None:
    before, after = {"a": 1, "b": 2, "gone": 3}, {"a": 1, "b": 4, "new": 5}
    assert differences(before, after) == ({"b": 2, "new": None}, {"b": 4, "new": 5})


def test_an_id_is_its_moment() -> None:
    moment = datetime(2026, 5, 6, 7, 8, 9, 123000, tzinfo=UTC)
    least = first_id_at(moment)
    assert moment_of(least) == moment
    assert first_id_at(datetime(1, 1, 1, tzinfo=UTC)) == UUID(int=0)
    assert first_id_at(datetime(9999, 12, 31, tzinfo=UTC)) > new_id() > first_id_at(moment_of(new_id()))


@pytest.mark.parametrize(
    "statement", ["update activity set actor_name = 'x'", "delete from activity", "truncate activity"]
)
def test_not_even_the_owner_of_the_table_changes_it(lorebase: Lorebase, statement: str) -> None:
    note(lorebase)
    before = entries(lorebase.database.conninfo)
    with (
        psycopg.connect(lorebase.database.conninfo) as session,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="activity is never changed"),
    ):
        session.execute(statement.encode())
    assert entries(lorebase.database.conninfo) == before


def test_an_entry_outlives_its_workspace_and_leaves_with_its_organization(lorebase: Lorebase) -> None:
    note(lorebase)
    kept = last(lorebase)["id"]
    with psycopg.connect(lorebase.database.conninfo) as session:
        session.execute("delete from workspaces")
        session.execute("delete from principals")
    assert last(lorebase)["id"] == kept
    with psycopg.connect(lorebase.database.conninfo) as session:
        session.execute("delete from organizations")
    assert entries(lorebase.database.conninfo) == []


def age(database: Database, *, days: int) -> None:
    """Move all entries into the past, as only who may disable the trigger can."""
    with psycopg.connect(database.conninfo) as session:
        session.execute("alter table activity disable trigger activity_is_kept")
        session.execute("update activity set recorded_at = recorded_at - make_interval(days => %s)", [days])
        session.execute("alter table activity enable trigger activity_is_kept")


def forget(database: Database, *, days: int) -> int:
    with psycopg.connect(database.conninfo) as session:
        row = session.execute("select forget_activity(now() - make_interval(days => %s))", [days]).fetchone()
        assert row is not None
        return int(row[0])


def test_what_is_old_enough_leaves_by_the_one_function_and_that_is_recorded(lorebase: Lorebase) -> None:
    note(lorebase)
    age(lorebase.database, days=1000)
    note(lorebase)
    old = len(entries(lorebase.database.conninfo)) - 1
    assert forget(lorebase.database, days=500) >= old
    kept, noted = entries(lorebase.database.conninfo)
    assert (kept["action"], noted["action"]) == ("team.created", "activity.forgotten")
    assert noted["after"]["count"] >= old
    assert abs(moment_of(noted["id"]) - noted["recorded_at"]).total_seconds() < 1
    assert noted["id"].version == 7
    assert forget(lorebase.database, days=500) == 0


def test_the_last_ninety_days_are_not_forgotten(lorebase: Lorebase) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        forget(lorebase.database, days=89)


def test_after_forgetting_nothing_else_can_be_deleted_in_the_same_transaction(lorebase: Lorebase) -> None:
    note(lorebase)
    with psycopg.connect(lorebase.database.conninfo) as session:
        session.execute("select forget_activity(now() - interval '91 days')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("delete from activity")


@pytest.mark.parametrize(
    ("clauses", "is_kept"),
    [
        ([["workspace:W"]], False),
        ([["owner:W", "team:x"]], False),
        ([["owner:W", "workspace:W"], ["owner:W", "user:x"]], False),
        ([["user:x"]], True),
        ([["owner:W", "workspace:W"], ["user:x"]], True),
    ],
)
def test_whether_the_thing_was_kept_from_owners_is_noted(
    lorebase: Lorebase, clauses: list[list[str]], *, is_kept: bool
) -> None:
    workspace_id = str(lorebase.workspace_id)
    named = [[token.replace("W", workspace_id) for token in clause] for clause in clauses]
    item = lorebase.add_item("plan.md")
    with psycopg.connect(lorebase.database.conninfo) as session:
        row = session.execute(
            "insert into audiences (workspace_id, digest, clauses) values (%s, sha256('x'), %s) returning id",
            [workspace_id, Jsonb(named)],
        ).fetchone()
        assert row is not None
        session.execute("update items set audience_id = %s where id = %s", [row[0], item.id])
    note(lorebase, subject_kind=SubjectKind.ITEM, subject_id=item.id)
    assert last(lorebase)["is_kept_from_owners"] is is_kept
    note(lorebase, subject_kind=SubjectKind.FOLDER, audience_id=row[0])
    assert last(lorebase)["is_kept_from_owners"] is is_kept


def test_what_has_unknown_readers_is_kept_from_owners(lorebase: Lorebase) -> None:
    for kind, audience_id in ((SubjectKind.ITEM, None), (SubjectKind.UPLOAD, None), (SubjectKind.FOLDER, 0)):
        note(lorebase, subject_kind=kind, audience_id=audience_id)
        assert last(lorebase)["is_kept_from_owners"] is True


def test_for_whom_somebody_acts_and_by_which_key_is_noted(lorebase: Lorebase) -> None:
    reader, key_id = lorebase.member(WorkspaceRole.VIEWER), ApiKeyId(new_id())
    note(lorebase, principal=replace(lorebase.owner, on_behalf_of=reader, api_key_id=key_id))
    entry = last(lorebase)
    assert (entry["actor_id"], entry["on_behalf_of"], entry["api_key_id"]) == (lorebase.owner.id, reader.id, key_id)
