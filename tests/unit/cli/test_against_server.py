"""The commands against a server of their own."""

from pathlib import Path

import pytest

from tests.fixtures.documents import paragraph, pdf_of_pages, write_docx
from tests.fixtures.served import CommandLine

_FRUIT = {"kiwi": "memo.pdf", "quince": "letter.docx", "medlar": "page.html"}


@pytest.fixture
def docs(served: CommandLine) -> Path:
    folder = served.cwd / "docs"
    (folder / "travel").mkdir(parents=True)
    (folder / "travel" / "costs.md").write_text("# Travel costs\n\n## Refunds\n\nSend receipts to be reimbursed.\n")
    (folder / "evil.md").write_text("# Evil \x1b[31mred\n\nreimbursed \x1b]0;owned\x07 [bold]x[/bold]\n")
    (folder / "tool.exe").write_bytes(b"MZ" + bytes(62) + b"PE\0\0" + bytes(200))
    (folder / "empty.md").write_bytes(b"")
    return folder


def test_documents_go_in_come_out_and_go_away(served: CommandLine, docs: Path) -> None:
    uploaded = served.run("--json", "upload", "docs", "--tag", "t1", "--class", "legal")
    assert uploaded.code == 1
    assert (uploaded.json["added"], uploaded.json["refused"], uploaded.json["failed"]) == (3, 1, 0)
    assert [entry["path"] for entry in uploaded.json["items"]["refused"]] == ["docs/tool.exe"]
    assert "note" in {entry["path"]: entry for entry in uploaded.json["items"]["added"]}["docs/empty.md"]

    found = served.run("search", "how", "are", "receipts", "reimbursed", "--limit", "2", "--tag", "t1", "--json").json
    assert found["hits"][0]["path"] == "docs/travel/costs.md"
    assert {"path", "title", "heading_path", "snippet", "score", "item_id", "revision", "span"} <= set(found["hits"][0])
    shown = served.run("search", "reimbursed")
    assert "\x1b" not in shown.out
    assert "docs/travel/costs.md \u203a Travel costs \u203a Refunds" in shown.out
    assert "[bold]x[/bold]" in shown.out
    assert served.run("search", "reimbursed", "--class", "brand").out == ""

    assert served.run("show", "docs/travel/costs.md", "--raw").out == (docs / "travel" / "costs.md").read_text()
    item = served.run("show", "docs/travel/costs.md", "--json").json
    assert (item["class"], item["tags"]) == ("legal", ["t1"])
    assert served.run("show", item["id"], "--body").out == item["body"]
    assert "docs/travel/costs.md" in served.run("list", "docs/travel").out
    assert {entry["path"] for entry in served.run("tree", "docs", "--json").json["folders"]} == {"docs/travel"}
    assert served.run("status", "--json").json["items"]["text_ready"] == 2
    status = served.run("status")
    assert "no text  1: There is nothing to find in it. If it is a scan" in status.out
    assert ("failed " in status.out, status.err) == (False, "Workspace: main\n")
    assert "no_text: There is nothing to find in it." in served.run("show", "docs/empty.md").out

    assert served.run("list", "docs/travel", "--tag", "unknown").code == 0
    for command in (["list"], ["tree"], ["search", "costs", "--folder"]):
        missing = served.run(*command, "nosuch")
        assert (missing.code, missing.out) == (3, "")
        assert "Nothing lies at nosuch" in missing.err

    assert served.run("delete", "docs/travel/costs.md").code == 2
    assert served.run("delete", "docs", "--yes").code == 2
    assert served.run("delete", "docs/travel/costs.md", "--yes").code == 0
    assert served.run("show", "docs/travel/costs.md").code == 3
    assert served.run("delete", "docs", "--yes", "--recursive", "--json").json["failed"] == []
    assert served.run("list", "--json").json["items"] == []


@pytest.mark.slow
def test_large_file_is_sent_past_the_api_and_not_again(served: CommandLine) -> None:
    big = served.cwd / "big.txt"
    big.write_text("".join(f"Line {number} of a long text.\n" for number in range(60_000)))

    first = served.run("upload", "big.txt", "--to", "long", "--json")
    second = served.run("upload", "big.txt", "--to", "long", "--json")
    big.write_text(big.read_text().replace("Line 7 ", "Verse 7 "))
    third = served.run("upload", "big.txt", "--to", "long", "--json")

    assert (first.json["added"], second.json["unchanged"], third.json["updated"]) == (1, 1, 1)
    assert third.json["items"]["updated"][0]["revision"] == 2


def test_upload_that_does_not_wait_says_what_is_to_come(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nText.\n")

    ran = served.run("upload", "a.md", "--no-wait", "--json")

    assert (ran.code, ran.json["added"]) == (0, 1)
    assert ran.json["items"]["added"][0]["state"] == "pending"


def test_two_files_for_one_path_are_not_chosen_between(served: CommandLine) -> None:
    for name, text in (("one", "# One\n"), ("two", "# Two\n")):
        (served.cwd / name).mkdir()
        (served.cwd / name / "a.md").write_text(text)

    ran = served.run("upload", "one/", "two/", "--json")

    assert (ran.code, ran.json["added"], ran.json["refused"]) == (1, 1, 1)
    assert ran.json["items"]["refused"][0]["reason"] == "path-given-twice"


def test_key_that_may_only_read_ends_the_upload(served: CommandLine) -> None:
    token = served.run("keys", "create", "reader", "--json").json["token"]
    for number in range(20):
        (served.cwd / f"{number}.md").write_text(f"# {number}\n")

    ran = served.run("upload", ".", "--json", LOREBASE_KEY=token)

    assert (ran.code, ran.json["added"], ran.json["failed"]) == (4, 0, 20)


def test_default_stays_the_first_founded_workspace_and_is_said(served: CommandLine) -> None:
    assert served.run("workspaces", "create", "aaa").code == 0
    (served.cwd / "a.md").write_text("# A\n\nText.\n")

    assert "Workspace: main" in served.run("upload", "a.md").err
    assert "Workspace: main" in served.run("status").err
    assert "Workspace: aaa" in served.run("status", "--workspace", "aaa").err
    deleted = served.run("delete", "a.md", "--yes")
    assert (deleted.code, deleted.out, deleted.err) == (0, "deleted  a.md\n", "Workspace: main\n")
    assert served.run("status", "--json").err == ""


def test_workspaces_are_apart(served: CommandLine) -> None:
    assert served.run("workspaces", "create", "other").code == 0
    (served.cwd / "a.md").write_text("# A\n\nText.\n")
    assert served.run("upload", "a.md", LOREBASE_WORKSPACE="other").code == 0

    assert served.run("list", "--json").json["items"] == []
    assert len(served.run("--workspace", "other", "list", "--json").json["items"]) == 1
    assert served.run("list", "--workspace", "nowhere").code == 3
    assert {entry["slug"] for entry in served.run("workspaces", "list", "--json").json["workspaces"]} == {
        "main",
        "other",
    }


def test_operators_see_and_steer(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nText.\n")
    served.run("upload", "a.md")

    jobs = served.run("jobs", "list", "--state", "done", "--json").json["jobs"]
    assert {(job["kind"], job["path"]) for job in jobs} == {("extract_upload", "a.md"), ("index_item", "a.md")}
    assert served.run("jobs", "list").out.splitlines()[1].split("\t")[4] == "a.md"
    assert served.run("jobs", "cancel", jobs[0]["id"]).code == 1
    assert served.run("jobs", "cancel", "nonsense").code == 2
    key = served.run("keys", "create", "k", "--scope", "write", "--json").json
    assert served.run("keys", "revoke", key["id"]).code == 0
    assert served.run("status", "--key", key["token"]).code == 4
    agent = served.run("members", "add", "agent", "Bot", "--json").json
    assert served.run("members", "place", agent["id"], "viewer").code == 0
    assert "Bot" in served.run("members", "list").out
    retried = served.run("retry", "a.md")
    assert (retried.code, retried.out) == (0, "queued  a.md\n")
    assert "lorebase status" in retried.err
    assert served.run("retry", "b.md").code == 3
    assert served.run("version", "--json").json["server"] is not None


def test_a_viewer_is_told_nothing_of_jobs_and_of_what_only_writers_can_mend(served: CommandLine) -> None:
    (served.cwd / "a.docx").write_bytes(b"PK\x03\x04 cut off")
    assert served.run("upload", "a.docx").code == 1
    viewer = served.run("members", "add", "agent", "Scout", "--json").json["id"]
    served.run("members", "place", viewer, "viewer")
    key = served.run("keys", "create", "scout", "--member", viewer, "--json").json["token"]

    own, theirs = served.run("status"), served.run("status", LOREBASE_KEY=key)
    assert "jobs     none" in own.out
    assert "jobs" not in theirs.out
    assert "a.docx" in theirs.out
    assert "lorebase retry" in own.err
    assert "lorebase retry" not in theirs.err


def test_a_retry_that_waits_tells_what_came_of_it(served: CommandLine) -> None:
    (served.cwd / "good.md").write_text("# Good\n\nText.\n")
    (served.cwd / "empty.md").write_bytes(b"")
    (served.cwd / "broken.pdf").write_bytes(b"%PDF-1.7\nno page in here\n")
    assert served.run("retry", "--all-failed").err == "Nothing has failed, so there is nothing to retry.\n"
    assert served.run("upload", ".").code == 1

    assert served.run("retry", "good.md", "--wait").out == "done  good.md\n"
    assert served.run("retry", "empty.md", "--wait").out == "done  empty.md: The document holds no text\n"
    again = served.run("retry", "--all-failed", "--wait", "--json")
    assert (again.code, again.json["retried"]) == (1, [])
    assert [(entry["path"], entry["reason"]) for entry in again.json["failed"]] == [("broken.pdf", "document-broken")]
    item_id = served.run("show", "broken.pdf", "--json").json["id"]
    assert served.run("retry", item_id, "--wait").out.startswith("failed  broken.pdf: ")

    upload_id = served.run("upload", "good.md", "--tag", "t", "--json").json["items"]["updated"][0]["upload_id"]
    refused = served.run("retry", upload_id)
    assert (refused.code, refused.err) == (1, "Nothing could be retried; mend the documents and upload them again.\n")
    assert "only one that failed or was skipped" in refused.out


def test_a_short_document_of_each_format_is_found_with_its_page(served: CommandLine) -> None:
    (served.cwd / "memo.pdf").write_bytes(pdf_of_pages("The kiwi is ripe", "The plum is not"))
    write_docx(served.cwd / "letter.docx", paragraph("The quince is yellow"))
    (served.cwd / "page.html").write_text("<h1>Fruit</h1><p>The medlar is brown.</p>")
    assert served.run("upload", ".", "--wait").code == 0
    found = [served.run("search", word, "--mode", "lexical", "--json").json["hits"] for word in _FRUIT]
    assert [[hit["path"] for hit in hits] for hits in found] == [[path] for path in _FRUIT.values()]
    assert found[0][0]["page"] == 1
