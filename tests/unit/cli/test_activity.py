"""`lorebase activity` against a server of its own."""

import json
from datetime import UTC, datetime, timedelta

from tests.fixtures.served import CommandLine


def test_who_did_what_is_shown_and_taken_along(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nText that is nobody's business.\n")
    served.run("upload", "a.md")
    item_id = served.run("show", "a.md", "--json").json["id"]

    entries = served.run("activity", "--json").json["activity"]
    assert [entry["action"] for entry in entries] == ["item.created", "upload.received"]
    table = served.run("activity", "--subject", item_id).out
    assert "item.created\tdone\titem " + item_id in table
    assert len(served.run("activity", "--limit", "1", "--json").json["activity"]) == 1
    later = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    assert served.run("activity", "--since", later).err == "Nothing here.\n"
    assert len(served.run("activity", "--until", later, "--action", "item.created", "--json").json["activity"]) == 1
    assert "organization.created" in served.run("activity", "--organization").out

    exported = served.run("activity", "--export", "taken.jsonl")
    assert exported.out == "exported  2 entries to taken.jsonl\n"
    lines = (served.cwd / "taken.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [entry["id"] for entry in entries]
    assert list(served.cwd.glob("tmp*")) == []
    assert "business" not in served.run("activity", "--export", "-").out
    assert served.run("activity", "--action", "activity.exported", "--json").json["activity"][0]["after"]["count"] == 3


def test_whom_and_what_it_was_about_is_told(served: CommandLine) -> None:
    ann = served.run("members", "add", "user", "Ann", "--json").json["id"]
    served.run("members", "place", "Ann", "viewer")
    served.run("members", "place", "Ann", "editor")
    served.run("access", "set", "later/", "--restrict", "--audience", "member:Ann", "--new")
    served.run("grant", "later/", "--to", "member:Ann")
    key = served.run("keys", "create", "ann", "--member", ann, "--json").json["token"]
    assert served.run("jobs", "list", LOREBASE_KEY=key).code == 4
    assert served.run("status", "--simulate-as", "Ann").code == 0

    rows = [line.split("\t") for line in served.run("activity").out.splitlines()]
    assert rows[0] == ["TIME", "WHO", "ON BEHALF OF", "WHAT", "OUTCOME", "SUBJECT", "DETAIL"]
    details = {row[3]: row[6] for row in reversed(rows[1:])}
    assert details["request.refused"] == "list_workspace_jobs action-forbidden"
    assert details["grant.given"] == "member:Ann, action: read"
    assert details["access.changed"] == ("audience: - → member:Ann, audience_kind: - → named, is_restricted: no → yes")
    assert details["role.given"] == "member:Ann, role: viewer → editor"
    assert {row[1] for row in rows[1:] if row[4] == "refused"} == {"Ann"}
    by_ann = served.run("activity", "--actor", "ann", "--json").json["activity"]
    assert {entry["actor"]["name"] for entry in by_ann} == {"Ann"}


def test_what_makes_no_sense_is_refused_and_writes_nothing(served: CommandLine) -> None:
    wrong = served.run("activity", "--since", "yesterday")
    assert (wrong.code, wrong.out) == (2, "")
    assert "is no time like 2026-05-01" in wrong.err
    assert served.run("activity", "--action", "item.burnt").code == 2
    missing = served.run("activity", "--export", "nowhere/taken.jsonl")
    assert missing.code != 0
    assert "taken.jsonl" in missing.err
