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


def test_what_makes_no_sense_is_refused_and_writes_nothing(served: CommandLine) -> None:
    wrong = served.run("activity", "--since", "yesterday")
    assert (wrong.code, wrong.out) == (2, "")
    assert "is no time like 2026-05-01" in wrong.err
    assert served.run("activity", "--action", "item.burnt").code == 2
    missing = served.run("activity", "--export", "nowhere/taken.jsonl")
    assert missing.code != 0
    assert "taken.jsonl" in missing.err
