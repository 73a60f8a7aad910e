"""An item that is kept from everybody is absent for everybody, on every route and from the next request on."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from chalicelib.access.model import Audience
from chalicelib.access.store import put_audience
from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement
from chalicelib.identity.model import WorkspaceId
from tests.fixtures.api import Answered, Api
from tests.fixtures.gathered import gather
from tests.fixtures.identity_providers import trusted_provider
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.route_walk import Visit, visits

_MARKER = re.compile("victim", re.IGNORECASE)
_SET_AUDIENCE = Statement("set_audience", "Say who may read items.", b"update items set audience_id = %(audience_id)s")


class Kept:
    """A workspace with one uploaded item, asked by its owner."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase = api, lorebase
        upload = lorebase.upload("victim/victim.md", b"# Victim\n\nThe victim plan.", tags=["victim"])
        lorebase.drain()
        (item,) = lorebase.items()
        trashed = lorebase.add_item("victim/buried.md", "The victim plan, before.")
        acme = lorebase.foundation
        self.ask("DELETE", f"/v1/workspaces/{acme.workspace.id}/items/{trashed.id}")
        self.ids: dict[str, Any] = {
            "organization_id": acme.organization.id,
            "workspace_id": acme.workspace.id,
            "member_id": acme.owner.id,
            "api_key_id": acme.api_key.id,
            "provider_id": trusted_provider(lorebase).id,
            "job_id": self.ask("GET", f"/v1/workspaces/{acme.workspace.id}/jobs").json["jobs"][0]["id"],
            "item_id": item.id,
            "trashed_item_id": trashed.id,
            "upload_id": upload.id,
        }
        workspace = f"/v1/workspaces/{acme.workspace.id}"
        self.ids |= gather(api, workspace, acme.token, item.id, folder=None, said="Base")

    def ask(self, method: str, path: str, **options: Any) -> Answered:
        return self.api.call(method, path, key=self.lorebase.foundation.token, **options)

    def visit(self, visit: Visit) -> Answered:
        return self.ask(visit.method, visit.path, **visit.options)

    def give(self, audience: Sequence[str]) -> None:
        with self.lorebase.database.transaction() as tx:
            audience_id = put_audience(tx, WorkspaceId(self.ids["workspace_id"]), Audience((frozenset(audience),)))
            tx.execute(_SET_AUDIENCE, audience_id=audience_id)


@pytest.fixture
def kept(whole_api: Api, lorebase: Lorebase) -> Kept:
    return Kept(whole_api, lorebase)


def reading(kept: Kept) -> list[Visit]:
    return [visit for visit in visits(kept.ids) if visit.method == "GET" or visit.route.name == "ask_search"]


def comparable(answered: Answered) -> tuple[int, dict[str, str], str]:
    request_id = answered.headers["x-request-id"]
    headers = {name: value for name, value in answered.headers.items() if name != "x-request-id"}
    return answered.status, headers, answered.text.replace(request_id, "")


@pytest.mark.parametrize("audience", [[], ["user:nobody"], ["workspace:"], ["workspace:*"]])
def test_nothing_of_it_is_in_any_list_count_or_search(kept: Kept, audience: list[str]) -> None:
    telling = [visit for visit in reading(kept) if _MARKER.search(kept.visit(visit).text.replace("victim plan", ""))]
    assert len(telling) >= 10
    kept.give(audience)
    for visit in reading(kept):
        # A search quotes its question, and whoever is refused is told the route's own words.
        text = kept.visit(visit).text.replace('"query":"victim plan"', "")
        assert not _MARKER.search(text), f"{visit.method} {visit.path}: {text}"
    status = kept.ask("GET", f"/v1/workspaces/{kept.ids['workspace_id']}/status").json
    assert (sum(status["items"].values()), sum(status["uploads"].values())) == (0, 0)


def test_its_id_and_its_upload_s_answer_like_absent_ones_and_change_nothing(kept: Kept) -> None:
    kept.give([])
    absent = {**kept.ids, "item_id": new_id(), "trashed_item_id": new_id(), "upload_id": new_id()}
    for hidden, missing in zip(visits(kept.ids), visits(absent), strict=True):
        if any(f"{{{name}}}" in hidden.route.path for name in ("item_id", "trashed_item_id", "upload_id")):
            answered = kept.visit(hidden)
            assert answered.status == 404, f"{hidden.method} {hidden.path} {answered.text}"
            assert comparable(answered) == comparable(kept.visit(missing))
    kept.give([f"workspace:{kept.ids['workspace_id']}"])
    item = kept.ask("GET", f"/v1/workspaces/{kept.ids['workspace_id']}/items/{kept.ids['item_id']}").json
    assert (item["revision"], item["path"]) == (1, "victim/victim.md")
