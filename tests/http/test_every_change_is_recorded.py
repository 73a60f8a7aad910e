"""Every route that changes something leaves an entry in the activity that bears the id of its request."""

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from chalicelib.database.ids import new_id
from chalicelib.errors import Rejected
from chalicelib.http.blueprints import all_routes
from chalicelib.http.routing import Route
from chalicelib.identity.model import PrincipalId
from chalicelib.identity.oidc.model import KnownBy
from chalicelib.identity.oidc.user_identity_store import insert_user_identity
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobId
from chalicelib.jobs.perform_job import perform_job
from tests.fixtures.activity import recorded
from tests.fixtures.api import Api
from tests.fixtures.identity_providers import trusted_provider
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.route_walk import BODIES, QUERIES, filled

CHANGING = [route for route in all_routes() if not route.is_safe]
NOT_WALKED = {
    "add_identity_provider": "it asks an issuer; tests/unit/identity/oidc has one",
}
"""Routes that this walk cannot make succeed, each with why and where they are tested instead."""


class Scene:
    """Makes, for one route, the things that its path names, as the owner of the organization."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase = api, lorebase
        self.key = lorebase.foundation.token
        self.ids: dict[str, object] = {
            "organization_id": lorebase.owner.organization_id,
            "workspace_id": lorebase.workspace_id,
        }
        self.organization = filled("/v1/organizations/{organization_id}", self.ids)
        self.workspace = filled("/v1/workspaces/{workspace_id}", self.ids)

    def post(self, path: str, body: Mapping[str, Any], *, key: str | None = None) -> Any:
        answered = self.api.call("POST", path, key=key or self.key, json_body=body)
        assert answered.status < 400, answered.text
        return answered.json

    def make(self, name: str) -> None:
        """Make the thing of a parameter, unless there is one."""
        if name not in self.ids:
            self.ids[name] = MAKERS[name](self)

    def member(self) -> object:
        return self.post(f"{self.organization}/members", {"kind": "user", "name": "Bob"})["id"]

    def item(self) -> object:
        return self.post(f"{self.workspace}/items", {"path": "here/a.md", "body": "A sentence."})["id"]

    def upload(self) -> object:
        """An upload that failed, so that it can be tried again as well."""
        upload = self.lorebase.upload("broken.pdf", b"%PDF-1.7\nnothing that is one")
        self.lorebase.drain()
        return upload.id

    def started_upload(self) -> object:
        started = self.post(f"{self.workspace}/uploads", {"path": "b.md", "bytes": 4})
        key = f"staging/{self.lorebase.workspace_id}/{started['upload']['id']}"
        self.lorebase.wired.originals.put(key, io.BytesIO(b"text"))
        return started["upload"]["id"]

    def job(self) -> object:
        self.make("item_id")
        return self.api.call("GET", f"{self.workspace}/jobs", key=self.key).json["jobs"][0]["id"]

    def dead_job(self) -> object:
        def die(_job: LeasedJob) -> None:
            raise Rejected("No.")

        job_id = JobId(UUID(str(self.job())))
        worker = self.lorebase.wired.worker("test/1")
        perform_job(replace(worker, handlers={"index_item": Registration(die)}), job_id)
        return job_id

    def trashed_item(self) -> object:
        item_id = self.item()
        assert self.api.call("DELETE", f"{self.workspace}/items/{item_id}", key=self.key).status == 204
        return item_id

    def provider(self) -> object:
        return trusted_provider(self.lorebase).id

    def known_member(self) -> object:
        """A user whom the identity provider knows."""
        provider = trusted_provider(self.lorebase)
        self.ids["provider_id"] = provider.id
        member_id = self.member()
        with self.lorebase.database.transaction() as tx:
            insert_user_identity(
                tx,
                provider,
                "subject",
                principal_id=PrincipalId(UUID(str(member_id))),
                known_by=KnownBy.EMAIL,
                now=self.lorebase.clock.now(),
            )
        return member_id

    def invitation(self) -> Any:
        return self.post(f"{self.organization}/invitations", {"email": "new@example.org"})

    def grant(self, place: str) -> object:
        body = {"action": "read", "member_id": self.member()}
        return self.post(f"{self.workspace}/{place}/grants", body)["id"]


MAKERS: Mapping[str, Callable[[Scene], object]] = {
    "member_id": Scene.member,
    "item_id": Scene.item,
    "upload_id": Scene.upload,
    "job_id": Scene.job,
    "provider_id": Scene.provider,
    "trashed_item_id": Scene.trashed_item,
    "team_id": lambda scene: scene.post(f"{scene.organization}/teams", {"name": "Crew of one"})["id"],
    "environment_id": lambda scene: scene.post(f"{scene.organization}/environments", {"slug": "staging"})["id"],
    "invitation_id": lambda scene: scene.invitation()["id"],
    "api_key_id": lambda scene: scene.post(f"{scene.organization}/api-keys", {"name": "k"})["id"],
    "folder_id": lambda scene: scene.post(f"{scene.workspace}/folders", {"path": "here"})["id"],
}
"""What makes the thing of a path's parameter."""


def place(scene: Scene) -> None:
    scene.make("member_id")
    role = f"{scene.workspace}/members/{scene.ids['member_id']}"
    assert scene.api.call("PUT", role, key=scene.key, json_body={"role": "viewer"}).status == 200


def join(scene: Scene) -> None:
    scene.make("team_id")
    scene.make("member_id")
    membership = f"{scene.organization}/teams/{scene.ids['team_id']}/members/{scene.ids['member_id']}"
    assert scene.api.call("PUT", membership, key=scene.key).status < 400


def grant_on(kind: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.make(f"{kind}_id")
        scene.ids["grant_id"] = scene.grant(f"{kind}s/{scene.ids[f'{kind}_id']}")

    return prepare


def make_as(name: str, maker: Callable[[Scene], object]) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.ids[name] = maker(scene)

    return prepare


PREPARATIONS: Mapping[str, Callable[[Scene], None]] = {
    "take_role": place,
    "leave_team": join,
    "take_item_grant": grant_on("item"),
    "take_folder_grant": grant_on("folder"),
    "finish_upload": make_as("upload_id", Scene.started_upload),
    "empty_workspace_trash": make_as("trashed_item_id", Scene.trashed_item),
    "move_folder_to": make_as("item_id", Scene.item),
    "redrive_job_at": make_as("job_id", Scene.dead_job),
    "forget_identified_member": make_as("member_id", Scene.known_member),
}
"""What has to be so beforehand, by route."""


def body_of(route: Route, scene: Scene) -> Any:
    if route.name in {"grant_item", "grant_folder"}:
        return {"action": "read", "member_id": scene.member()}
    if route.name == "move_folder_to":
        return {"from": "here", "to": "there"}
    if route.name == "accept":
        return {"token": scene.invitation()["token"], "name": "New"}
    return BODIES.get(route.name)


@pytest.mark.parametrize(
    "route", [route for route in CHANGING if route.name not in NOT_WALKED], ids=lambda route: route.name
)
def test_a_change_leaves_an_entry(whole_api: Api, lorebase: Lorebase, route: Route) -> None:
    scene = Scene(whole_api, lorebase)
    if route.name in PREPARATIONS:
        PREPARATIONS[route.name](scene)
    for name in parameters_of(route):
        scene.make(name)
    body = body_of(route, scene)
    request_id = f"walk-{new_id()}"
    headers = {"X-Request-Id": request_id}
    if route.takes_bytes:
        headers["Content-Type"] = "application/octet-stream"
    answered = whole_api.call(
        route.method,
        filled(route.path, scene.ids),
        key=None if route.anonymous_handler else scene.key,
        json_body=body,
        raw=b"# New" if route.takes_bytes else None,
        headers=headers,
        query=QUERIES.get(route.name),
    )
    assert answered.status < 400, f"the walk does not know how to make {route.name} succeed: {answered.text}"
    entries = [entry for entry in recorded(lorebase.database) if entry["request_id"] == request_id]
    assert entries, f"{route.name} changed something and recorded nothing"
    assert {entry["outcome"] for entry in entries} == {"done"}
    asker = None if route.anonymous_handler else lorebase.owner.id
    assert asker in {entry["actor_id"] for entry in entries} or route.anonymous_handler


def parameters_of(route: Route) -> list[str]:
    return [part[1:-1] for part in route.path.split("/") if part.startswith("{")]


def test_what_is_not_walked_is_there() -> None:
    assert set(NOT_WALKED) - {route.name for route in CHANGING} == set()
    assert len(CHANGING) - len(NOT_WALKED) > 40
