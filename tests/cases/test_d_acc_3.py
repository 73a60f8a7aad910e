"""D-ACC-3: who is granted a passage can open it everywhere, and nowhere any more once the grant is withdrawn."""

from typing import Any

import pytest

from chalicelib.access.model import GrantAction
from chalicelib.database.statements import Statement
from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase

_TAKE_ALL_TEAMS = Statement("leave", "Let everybody leave their teams.", b"delete from team_members")


class Reader:
    """A member of team G, without a role in the workspace, to whom the owner's upload is granted."""

    def __init__(self, api: Api, lorebase: Lorebase, action: GrantAction) -> None:
        self.api, self.lorebase = api, lorebase
        acme = lorebase.foundation
        self.workspace = f"/v1/workspaces/{acme.workspace.id}"
        organization = f"/v1/organizations/{acme.organization.id}"
        upload = lorebase.upload("g/plan.md", b"# Plan\n\nThe plan of group G.")
        lorebase.drain()
        (item,) = lorebase.items()
        self.upload_id, self.item_id = upload.id, item.id
        self.own("PUT", f"{self.item}/access", {"is_restricted": True})
        member = self.own("POST", f"{organization}/members", {"kind": "user", "name": "Gil"})["id"]
        team = self.own("POST", f"{organization}/teams", {"name": "G"})["id"]
        assert self.api.call("PUT", f"{organization}/teams/{team}/members/{member}", key=acme.token).status < 400
        self.grant_id = self.own("POST", f"{self.item}/grants", {"action": str(action), "team_id": team})["id"]
        issued = {"name": "k", "member_id": member, "scopes": ["read", "write"]}
        self.key = self.own("POST", f"{organization}/api-keys", issued)["token"]

    @property
    def item(self) -> str:
        return f"{self.workspace}/items/{self.item_id}"

    def own(self, method: str, path: str, body: Any) -> Any:
        answered = self.api.call(method, path, key=self.lorebase.foundation.token, json_body=body)
        assert answered.status < 400, answered.text
        return answered.json

    def ask(self, method: str, path: str, body: Any = None) -> Answered:
        return self.api.call(method, path, key=self.key, json_body=body)

    def search(self) -> list[Any]:
        found = self.ask("POST", f"{self.workspace}/search", {"query": "plan of group"})
        return list(found.json["hits"]) if found.status == 200 else []

    def open(self, answer_id: str) -> dict[str, Answered]:
        """Everything that leads from a hit to its source, and the links that were given out before."""
        return {
            "item": self.ask("GET", self.item),
            "revision": self.ask("GET", f"{self.item}?revision=1"),
            "revisions": self.ask("GET", f"{self.item}/revisions"),
            "chunks": self.ask("GET", f"{self.item}/chunks"),
            "citations": self.ask("GET", f"{self.item}/citations"),
            "answer": self.ask("GET", f"{self.workspace}/answers/{answer_id}"),
            "upload": self.ask("GET", f"{self.workspace}/uploads/{self.upload_id}"),
            "download": self.ask("GET", f"{self.workspace}/uploads/{self.upload_id}/raw"),
        }


@pytest.mark.parametrize("action", list(GrantAction))
@pytest.mark.parametrize("way", ["grant", "team"])
def test_all_of_it_works_and_then_none(whole_api: Api, lorebase: Lorebase, action: GrantAction, way: str) -> None:
    reader = Reader(whole_api, lorebase, action)
    (hit,) = reader.search()
    citation = {name: hit[name] for name in ("item_id", "revision", "chunk_id", "span")} | {"quote": "The plan"}
    cited = {"consumer_kind": "answer", "consumer_id": "7", "text": "G has a plan.", "citations": [citation]}
    assert reader.ask("POST", f"{reader.workspace}/citations", cited).status == 403
    answer = reader.own("POST", f"{reader.workspace}/citations", cited)
    opened = reader.open(answer["id"])
    assert {name: answered.status for name, answered in opened.items() if answered.status not in {200, 303}} == {}
    assert opened["answer"].json["withheld"] is False
    start, end = hit["span"]
    assert "The plan" in opened["revision"].json["body"][start:end]

    if way == "grant":
        taken = f"{reader.item}/grants/{reader.grant_id}"
        assert whole_api.call("DELETE", taken, key=lorebase.foundation.token).status == 204
    else:
        with lorebase.database.transaction() as tx:
            tx.execute(_TAKE_ALL_TEAMS)

    assert reader.search() == []
    assert {name: found.status for name, found in reader.open(answer["id"]).items()} == dict.fromkeys(opened, 404)
    assert reader.ask("POST", f"{reader.workspace}/citations", cited).status == 404


def test_who_keeps_another_grant_finds_the_copy_withheld(whole_api: Api, lorebase: Lorebase) -> None:
    reader = Reader(whole_api, lorebase, GrantAction.READ)
    other = lorebase.add_item("open.md", "Something else.")
    lorebase.drain()
    passages = [{"item_id": str(item_id), "revision": 1, "span": [0, 5]} for item_id in (reader.item_id, other.id)]
    cited = {"consumer_kind": "answer", "consumer_id": "7", "text": "G has a plan.", "citations": passages}
    answer = reader.own("POST", f"{reader.workspace}/citations", cited)
    member = reader.api.call("GET", "/v1/me", key=reader.key).json["principal"]["id"]
    grants = f"{reader.workspace}/items/{other.id}/grants"
    reader.own("POST", grants, {"action": "read", "member_id": member})
    whole = reader.ask("GET", f"{reader.workspace}/answers/{answer['id']}").json
    assert (whole["text"], len(whole["citations"])) == ("G has a plan.", 2)
    whole_api.call("DELETE", f"{reader.item}/grants/{reader.grant_id}", key=lorebase.foundation.token)
    kept = reader.ask("GET", f"{reader.workspace}/answers/{answer['id']}").json
    assert (kept["text"], kept["withheld"], len(kept["citations"])) == (None, True, 1)
    assert (kept["text_characters"], kept["text_sha256"]) == (13, whole["text_sha256"])
    listed = reader.ask("GET", f"{reader.workspace}/citations?consumer_kind=answer&consumer_id=7").json
    assert ([each["path"] for each in listed["citations"]], listed["total"]) == (["open.md"], 1)
