"""Over HTTP, on every GET route of a workspace: nobody is told of what the model does not let them read."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from chalicelib.bootstrap import install_application
from chalicelib.http.blueprints import all_routes
from chalicelib.http.routing import Route
from tests.access.steps import MORNING, Step
from tests.access.town import Asker, Room, Thing, Town
from tests.fixtures.api import ORIGIN, Answered, Api
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.route_walk import QUERIES, filled

OF_THE_LIVING = {
    "list_items",
    "list_workspace_tags",
    "search_by_link",
}
"""Routes that name each living thing that may be read, and nothing else."""

OF_ONE_ITEM = {"show_item", "list_item_revisions", "list_item_chunks", "list_citations_of_item"}
OF_ONE_ITEM_FOR_SOME = {
    "show_item_access",
    "list_item_grants",
    "explain_item",
    "list_item_readers",
}
"""Routes about one item that owners alone, or who made it, are answered; others who read it are refused."""

OF_ONE_IN_TRASH = {"show_trashed_item", "list_trashed_item_revisions"}
OF_NOTHING_HIDDEN = {
    "show_workspace",
    "show_contexts",
    "show_folder",
    "show_status",
    "list_trashed_items",
    "list_workspace_uploads",
    "show_upload",
    "download_original",
    "list_shared_folders",
    "show_shared_folder",
    "show_folder_access",
    "list_folder_grants",
    "explain_folder",
    "list_folder_readers",
    "list_workspace_knowledge_bases",
    "show_knowledge_base",
    "list_knowledge_base_members",
    "list_knowledge_base_agents",
    "list_knowledge_base_grants",
    "list_citations_by_consumer",
    "show_answer",
    "list_workspace_jobs",
    "show_job",
    "list_activity_of_workspace",
    "export_activity_of_workspace",
    "show_reindexing",
    "show_workspace_usage",
    "show_workspace_budget",
}
"""Routes of which nothing but what may be read comes out; test_readers.py holds most of them to more than that."""

EVENING = (
    Step("say of folder", asker=0, first=1, second=3, third=4),
    Step("say of item", asker=0, first=1, third=6 * 6),
    Step("say of item", asker=10, first=0, third=5),
    Step("give", asker=0, first=3, second=7),
    Step("join", second=4),
    Step("say of folder", asker=0, first=4, second=0, third=3),
    Step("create", asker=0, first=5),
    Step("create", asker=0, first=5, second=1),
    Step("say of folder", asker=0, first=5, second=4, third=3),
    Step("create", asker=0, first=0),
    Step("create", asker=10, first=0, second=1),
    Step("delete", asker=10, first=7),
)


@pytest.fixture
def api(settled: Lorebase) -> Iterator[Api]:
    settled.configure(cors_origins=[ORIGIN])
    install_application(settled.wired)
    yield Api(settled.wired)
    install_application(None)


class Visitors:
    """A town at the end of a day, and its people before the API."""

    def __init__(self, api: Api, settled: Lorebase) -> None:
        self.api, self.town = api, Town(settled)
        for step in [*MORNING, *EVENING]:
            step.take(self.town)
        settled.drain()
        self.ids: dict[str, Any] = {}
        self._gather()

    def ask(self, asker: Asker, path: str, method: str = "GET", **options: Any) -> Answered:
        headers = {"X-On-Behalf-Of": str(asker.acts_for.id)} if asker.acts_for else {}
        return self.api.call(method, path, key=asker.token, headers=headers, **options)

    def _gather(self) -> None:
        """Have the head cite everything and put it into a knowledge base that the workspace sees."""
        room, head = self.town.rooms[0], self.town.key("head")
        here, seen = f"/v1/workspaces/{room.id}", head.sees(room)
        base = self.ask(
            head, f"{here}/knowledge-bases", "POST", json_body={"name": "All", "visibility": "workspace"}
        ).json
        members = {"add": {"items": [str(thing.id) for thing in seen]}}
        base_path = f"{here}/knowledge-bases/{base['id']}"
        assert self.ask(head, f"{base_path}/members", "PATCH", json_body=members).status < 400
        cited = [{"item_id": str(thing.id), "revision": thing.revisions, "span": [0, 1]} for thing in seen]
        answer = {"consumer_kind": "page", "consumer_id": "1", "title": "word", "citations": cited}
        kept = self.ask(head, f"{here}/citations", "POST", json_body=answer)
        assert kept.status < 400, kept.text
        self.ids = {
            "workspace_id": room.id,
            "knowledge_base_id": base["id"],
            "answer_id": kept.json["id"],
            "job_id": self.ask(head, f"{here}/jobs").json["jobs"][0]["id"],
            "upload_id": next(iter(room.uploads)),
            "folder_id": next(iter(room.folders.values())).id,
        }


@pytest.fixture
def visitors(api: Api, settled: Lorebase) -> Visitors:
    return Visitors(api, settled)


def routes() -> list[Route]:
    return [route for route in all_routes() if route.method == "GET" and "{workspace_id}" in route.path]


def test_every_get_route_of_a_workspace_is_known_here() -> None:
    known = OF_THE_LIVING | OF_ONE_ITEM | OF_ONE_ITEM_FOR_SOME | OF_ONE_IN_TRASH | OF_NOTHING_HIDDEN
    assert {route.name for route in routes()} == known


@pytest.mark.timeout(600)
def test_nothing_of_what_is_kept_from_somebody_is_in_any_answer(visitors: Visitors) -> None:
    town, told = visitors.town, 0
    assert len({tuple(thing.id for thing in asker.sees(town.rooms[0])) for asker in town.askers}) > 4
    for asker in town.askers:
        for room in town.all_rooms:
            told += sum(_visit(visitors, asker, room, route) for route in routes())
    assert told > 150


@dataclass(frozen=True)
class Heard:
    """What somebody was answered who asked a route, perhaps about one thing."""

    town: Town
    asker: Asker
    room: Room
    route: Route
    thing: Thing | None
    answered: Answered

    def __str__(self) -> str:
        room = self.town.all_rooms.index(self.room)
        return f"{self.route.name} by {self.asker} in room {room}: {self.answered.status} {self.answered.text}"

    def may_read(self, thing: Thing) -> bool:
        return thing in self.room.things and self.asker.reads(self.room, self.room.way(thing.path, thing.said))

    def check_leaks(self, asked: Collection[Any]) -> None:
        """Nothing is told of what may not be read: neither its words, nor its id unless it was asked for."""
        for thing in (thing for room in self.town.all_rooms for thing in room.things if not self.may_read(thing)):
            assert not re.search(rf"\b{thing.word}\b", self.answered.text), f"{thing.word} in {self}"
            assert thing.id in asked or str(thing.id) not in self.answered.text, f"{thing.id} in {self}"

    def check_told(self) -> int:
        """What may be read is there, and what may not is absent; return how many things were told of."""
        if self.asker.role(self.room) is None:
            assert self.answered.status == 404, self
            return 0
        if self.route.name in OF_THE_LIVING:
            words = set(re.findall(r"word\d+q", self.answered.text))
            assert words == {seen.word for seen in self.asker.sees(self.room)}, self
            return len(words)
        if self.thing is None:
            return 0
        is_in_trash = self.thing.deleted is not None
        is_there = self.may_read(self.thing) and is_in_trash == (self.route.name in OF_ONE_IN_TRASH)
        allowed = {200, 403} if self.route.name in OF_ONE_ITEM_FOR_SOME else {200}
        assert self.answered.status in (allowed if is_there else {404}), self
        return is_there


def _visit(visitors: Visitors, asker: Asker, room: Room, route: Route) -> int:
    """Ask one route with every id that it takes; return how often a thing was told of that may be."""
    told = 0
    for thing in _asked_about(visitors.town, route):
        ids = {**visitors.ids, "workspace_id": room.id}
        if thing is not None:
            ids |= {"item_id": thing.id, "trashed_item_id": thing.id}
        query = {"q": "alpha", "limit": "50"} if route.name == "search_by_link" else QUERIES.get(route.name)
        answered = visitors.ask(asker, filled(route.path, ids), query=query)
        heard = Heard(visitors.town, asker, room, route, thing, answered)
        heard.check_leaks(ids.values())
        told += heard.check_told()
    return told


def _asked_about(town: Town, route: Route) -> list[Thing | None]:
    is_about_one = "{item_id}" in route.path or "{trashed_item_id}" in route.path
    return [thing for room in town.all_rooms for thing in room.things] if is_about_one else [None]
