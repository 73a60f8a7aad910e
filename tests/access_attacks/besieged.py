"""A workspace over HTTP with members in every role, and short words for what they try."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase


@dataclass(frozen=True)
class Somebody:
    """A member with a key."""

    id: str
    key: str


class Besieged:
    """A workspace of an organization, asked over HTTP."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase = api, lorebase
        acme = lorebase.foundation
        self.organization = f"/v1/organizations/{acme.organization.id}"
        self.workspace = f"/v1/workspaces/{acme.workspace.id}"
        self.owner = Somebody(str(acme.owner.id), acme.token)

    def member(self, role: str | None = None, *, kind: str = "user", **described: Any) -> Somebody:
        """Add a member with a role in the workspace, None for none, and a key of all scopes."""
        body = {"kind": kind, "name": f"{role} {kind}", **described}
        member_id = str(self.own("POST", f"{self.organization}/members", body)["id"])
        if role is not None:
            self.own("PUT", f"{self.workspace}/members/{member_id}", {"role": role})
        return Somebody(member_id, self.key_of(member_id))

    def key_of(
        self, member_id: str, scopes: Sequence[str] = ("read", "write", "admin"), *, within: Sequence[str] | None = None
    ) -> str:
        body = {"name": "k", "member_id": member_id, "scopes": list(scopes), "workspace_ids": within}
        return str(self.own("POST", f"{self.organization}/api-keys", body)["token"])

    def own(self, method: str, path: str, body: Any = None) -> Any:
        """Do something as the owner, which must succeed."""
        return self.done(self.owner, method, path, body)

    def done(self, who: Somebody, method: str, path: str, body: Any = None, **options: Any) -> Any:
        answered = self.ask(who, method, path, body, **options)
        assert answered.status < 400, answered.text
        return answered.json if answered.text else None

    def ask(self, who: Somebody, method: str, path: str, body: Any = None, **options: Any) -> Answered:
        return self.api.call(method, path, key=who.key, json_body=body, **options)

    def add(self, who: Somebody, path: str, body: str = "Some text.") -> str:
        """Add an item and return its address."""
        made = self.done(who, "POST", f"{self.workspace}/items", {"path": path, "body": body})
        return f"{self.workspace}/items/{made['id']}"

    def say(self, address: str, *, who: Somebody | None = None, **said: Any) -> None:
        """Say who may read at an item's or a folder's address."""
        self.done(who or self.owner, "PUT", f"{address}/access", said)

    def grant(self, address: str, action: str, to: Somebody, *, who: Somebody | None = None) -> None:
        self.done(who or self.owner, "POST", f"{address}/grants", {"action": action, "member_id": to.id})

    def folder(self, path: str, *, who: Somebody | None = None, **said: Any) -> str:
        """Say something about a folder and return its address."""
        made = self.done(who or self.owner, "POST", f"{self.workspace}/folders", {"path": path})
        address = f"{self.workspace}/folders/{made['id']}"
        if said:
            self.say(address, who=who, **said)
        return address

    def upload(self, who: Somebody, path: str, content: bytes, **options: Any) -> Answered:
        return self.api.call(
            "POST",
            f"{self.workspace}/uploads/direct",
            key=who.key,
            raw=content,
            query={"path": path},
            headers={"Content-Type": "application/octet-stream", **options.pop("headers", {})},
        )

    def paths(self, who: Somebody, **query: Any) -> list[str]:
        """List the paths of the items that somebody sees."""
        answered = self.ask(who, "GET", f"{self.workspace}/items", query=query or None)
        return [item["path"] for item in answered.json["items"]] if answered.status == 200 else []
