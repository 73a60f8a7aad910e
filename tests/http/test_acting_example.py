"""The example of docs/access.md of an agent that acts for a colleague, done row by row over HTTP."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from chalicelib.identity.found_organization import Foundation
from tests.fixtures.api import Api

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "access.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\w+/)(?:\w+/)?` \| ([^|]+) \| (\w+) \| (\w+) \| (\w+) \|$", PAGE, re.MULTILINE)
READERS = ("Ana", "Scout", "Scout for Ana")


class Colleagues:
    """Ana, Scout and what an owner says about folders."""

    def __init__(self, api: Api, acme: Foundation) -> None:
        self.api, self.key = api, acme.token
        self.organization = f"/v1/organizations/{acme.organization.id}"
        self.workspace = f"/v1/workspaces/{acme.workspace.id}"
        self.ids = {"Ana": self._member("user", "editor"), "Scout": self._member("agent", "viewer")}
        self.team = self.own("POST", f"{self.organization}/teams", {"name": "Legal"})["id"]
        self.own("PUT", f"{self.organization}/teams/{self.team}/members/{self.ids['Ana']}")
        self.keys = {name: self._key(member_id) for name, member_id in self.ids.items()}

    def own(self, method: str, path: str, body: Any = None, *, key: str | None = None) -> Any:
        answered = self.api.call(method, path, key=key or self.key, json_body=body)
        assert answered.status < 400, answered.text
        return answered.json if answered.text else None

    def item_where(self, said: str) -> str:
        """Add an item in a new folder about which the words of the page are said."""
        if said == "only me Ana":
            return self._kept()
        folder = self.own("POST", f"{self.workspace}/folders", {"path": "place"})["id"]
        address = f"{self.workspace}/folders/{folder}"
        for word in said.split(", "):
            match word.split():
                case ["team", "Legal"]:
                    self._say(address, {"kind": "teams", "team_ids": [self.team]})
                case ["named", name]:
                    self._say(address, {"kind": "named", "member_ids": [self.ids[name]]})
                case ["grant", name]:
                    self.own("POST", f"{address}/grants", {"action": "read", "member_id": self.ids[name]})
                case _:
                    assert word == "nothing"
        return self._item(self.key)

    def may(self, who: str, item: str) -> str:
        """Try to read and to write, and return the page's word for what was possible."""
        name, _, other = who.partition(" for ")
        headers: Mapping[str, str] = {"X-On-Behalf-Of": self.ids[other]} if other else {}
        done = {
            method: self.api.call(method, item, key=self.keys[name], json_body=body, headers=headers).status < 400
            for method, body in (("GET", None), ("PATCH", {"title": f"By {who}"}))
        }
        assert done["GET"] or not done["PATCH"]
        return "writes" if done["PATCH"] else "reads" if done["GET"] else "nothing"

    def _kept(self) -> str:
        item = self._item(self.keys["Ana"])
        self.own("PUT", f"{item}/access", {"audience": {"kind": "only_me"}}, key=self.keys["Ana"])
        return item

    def _item(self, key: str) -> str:
        made = self.own("POST", f"{self.workspace}/items", {"path": "place/a.md", "body": "words"}, key=key)
        return f"{self.workspace}/items/{made['id']}"

    def _say(self, address: str, audience: Mapping[str, Any]) -> None:
        self.own("PUT", f"{address}/access", {"audience": audience})

    def _member(self, kind: str, role: str) -> str:
        member_id = str(self.own("POST", f"{self.organization}/members", {"kind": kind, "name": kind})["id"])
        self.own("PUT", f"{self.workspace}/members/{member_id}", {"role": role})
        return member_id

    def _key(self, member_id: str) -> str:
        body = {"name": "k", "member_id": member_id, "scopes": ["read", "write"]}
        return str(self.own("POST", f"{self.organization}/api-keys", body)["token"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_an_agent_for_a_colleague_may_what_the_page_says(api: Api, row: tuple[str, ...]) -> None:
    _, said, *possible = row
    colleagues = Colleagues(api, api.found())
    item = colleagues.item_where(said)
    assert [colleagues.may(who, item) for who in READERS] == possible


def test_the_page_has_its_rows() -> None:
    assert len(ROWS) == 5
