"""Knowledge bases and citations at the terminal, against a server."""

from typing import Any

import httpx

from chalicelib.platform.local.data_folder import DataFolder
from tests.fixtures.served import CommandLine


def test_a_knowledge_base_is_made_filled_searched_and_deleted(served: CommandLine) -> None:
    docs = served.cwd / "docs"
    for path in ("hr/leave.md", "hr/deep/pay.md", "it/vpn.md", "other.md"):
        (docs / path).parent.mkdir(parents=True, exist_ok=True)
        (docs / path).write_text(f"# {path}\n\nThe plan of the year.\n")
    assert served.run("upload", "docs/").code == 0

    made = served.run("knowledge-bases", "create", "Staff", "--visibility", "workspace", "--limit", "2", "--json").json
    assert (made["name"], made["settings"]["limit"]) == ("Staff", 2)
    added = served.run("knowledge-bases", "add", "staff", "hr/", "it/vpn.md", "--json")
    assert added.json["items"] == 3
    shown = served.run("knowledge-bases", "show", "Staff")
    assert [line.split("\t") for line in shown.out.splitlines()[1:]] == [
        ["KIND", "PATH", "ITEMS"],
        ["folder", "hr", "2"],
        ["item", "it/vpn.md", "1"],
    ]
    assert len(served.run("search", "plan", "--knowledge-base", "Staff", "--json").json["hits"]) == 2
    found = served.run("search", "plan", "--all-knowledge-bases", "--json").json["hits"]
    assert sorted(hit["path"] for hit in found) == ["hr/deep/pay.md", "hr/leave.md", "it/vpn.md"]
    listed = served.run("list", "--knowledge-base", made["id"], "--json").json["items"]
    assert [item["path"] for item in listed] == ["hr/deep/pay.md", "hr/leave.md", "it/vpn.md"]
    tree = served.run("tree", "hr", "--knowledge-base", "Staff", "--json").json
    assert [folder["name"] for folder in tree["folders"]] == ["deep"]
    assert served.run("knowledge-bases", "remove", "Staff", "hr/", "--json").json["items"] == 1

    agent = served.run("members", "add", "agent", "Bot", "--json").json["id"]
    assert served.run("knowledge-bases", "assign", "Staff", agent).code == 0
    assert served.run("knowledge-bases", "unassign", "Staff", "bot").out == "unassigned  Staff from bot\n"
    served.run("members", "add", "user", "Una")
    assert served.run("knowledge-bases", "assign", "Staff", "Una").code == 3
    granted = served.run("knowledge-bases", "grant", "Staff", "--to", "member:Bot", "--write", "--json").json
    assert "write\tmember:Bot" in served.run("knowledge-bases", "grants", "Staff").out
    assert served.run("knowledge-bases", "revoke", "Staff", "member:Bot").code == 0
    assert served.run("knowledge-bases", "revoke", "Staff", granted["id"]).code == 3

    assert served.run("knowledge-bases", "change", "Staff").code == 2
    assert served.run("knowledge-bases", "change", "Staff", "--name", "People", "--json").json["name"] == "People"
    assert served.run("search", "plan", "--knowledge-base", "Staff").code == 3
    served.run("knowledge-bases", "create", "people")
    assert served.run("knowledge-bases", "delete", "people").code == 2
    assert served.run("list", "--knowledge-base", "x", "--all-knowledge-bases").code == 2
    assert served.run("knowledge-bases", "delete", made["id"]).code == 0
    left = served.run("knowledge-bases", "list", "--json").json["knowledge_bases"]
    assert [base["name"] for base in left] == ["people"]


def test_citations_are_shown_by_item_by_consumer_and_with_their_answer(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# Plan\n\nThe plan of the year.\n")
    assert served.run("upload", "a.md").code == 0
    item = served.run("show", "a.md", "--json").json
    answer = cited(served, item["id"])
    rows = [line.split("\t") for line in served.run("citations", "of", "a.md").out.splitlines()]
    assert rows[1] == ["a.md", "1", "0-6", "page 42", answer]
    by_page = served.run("citations", "by", "page", "42", "--json").json
    assert [each["quote"] for each in by_page["citations"]] == ["Plan"]
    shown = served.run("citations", "answer", answer)
    assert "What the plan says" in shown.out
    assert "\x1b" not in shown.out
    assert served.run("citations", "by", "page", "43").err.endswith("Nothing was cited that you may read.\n")
    assert served.run("citations", "of", "b.md").code == 3


def cited(served: CommandLine, item_id: str) -> str:
    """Cite an item as a program does, and return the id of the answer."""
    workspace = served.run("workspaces", "list", "--json").json["workspaces"][0]["id"]
    body: dict[str, Any] = {
        "consumer_kind": "page",
        "consumer_id": "42",
        "text": "\x1b[31mWhat the plan says",
        "citations": [{"item_id": item_id, "revision": 1, "span": [0, 6], "quote": "Plan"}],
    }
    folder = DataFolder(served.home)
    address, key = folder.server_url(), folder.owner_key.read_text("utf-8").strip()
    answered = httpx.post(
        f"{address}/v1/workspaces/{workspace}/citations", json=body, headers={"Authorization": f"Bearer {key}"}
    )
    assert answered.status_code == 201, answered.text
    return str(answered.json()["id"])
