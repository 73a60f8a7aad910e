"""Every route that changes something leaves an entry in the activity that bears the id of its request."""

import pytest

from chalicelib.database.ids import new_id
from chalicelib.http.blueprints import all_routes
from chalicelib.http.routing import Route
from tests.fixtures.activity import recorded
from tests.fixtures.api import Api
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.route_scenes import PREPARATIONS, Scene, body_of, query_of
from tests.fixtures.route_walk import filled

CHANGING = [route for route in all_routes() if not route.is_safe]
NOT_WALKED = {
    "add_identity_provider": "it asks an issuer; tests/unit/identity/oidc has one",
}
"""Routes that this walk cannot make succeed, each with why and where they are tested instead."""


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
        query=query_of(route),
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
