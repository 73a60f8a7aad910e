"""An organization's way from one embedding space to another, and back."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import pytest

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.errors import (
    EmbeddingChangeNotFound,
    EmbeddingChangeNotReady,
    EmbeddingChangeRunning,
    EmbeddingSpaceChosen,
    EmbeddingSpaceUnknown,
    FormerSpaceNotFound,
)
from chalicelib.embedding_spaces.model import ChangeState, Choice, Estimate
from chalicelib.embedding_spaces.read_choice import estimate_change, read_choice
from chalicelib.embedding_spaces.start_change import start_change
from chalicelib.errors import LorebaseError
from chalicelib.identity.manage_workspaces import create_workspace
from chalicelib.identity.model import WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.usage.prices import Price, Prices
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_OLD, _NEW, _THIRD = "words/32", "others/48", "thirds/16"


@pytest.fixture
def room(database: Database) -> ChangingRoom:
    room = ChangingRoom(database, WordEmbedder(), offered=(WordEmbedder(_NEW), WordEmbedder(_THIRD)))
    room.add("a.md", "A text of some words.")
    return room


def estimate(room: ChangingRoom, space: str) -> Estimate:
    with room.database.transaction() as tx:
        return estimate_change(
            tx,
            principal=room.admin,
            organization_id=room.organization_id,
            space=space,
            embedders=room.embedders,
            prices=Prices({_NEW: Price(Decimal(20))}),
            now=room.queue.clock.now(),
        )


def test_a_swap_is_for_the_next_request_and_can_be_undone(room: ChangingRoom) -> None:
    room.start(_NEW)
    assert room.swap() == Choice(_NEW, None, _OLD)
    room.add("b.md", "Another text.")
    assert room.vectors() == {_OLD: 2, _NEW: 2}
    assert room.roll_back() == Choice(_OLD, None, _NEW)
    assert room.roll_back() == Choice(_NEW, None, _OLD)
    assert room.forget() == Choice(_NEW)
    room.work()
    assert room.vectors() == {_NEW: 2}


def test_what_the_former_space_missed_is_filled_in_on_the_way_back(room: ChangingRoom) -> None:
    room.start(_NEW)
    room.swap()
    old = room.embedder
    assert isinstance(old, WordEmbedder)
    old.is_down = True
    room.add("b.md", "Another text.", index=False)
    room.work()
    assert room.vectors() == {_OLD: 1, _NEW: 2}
    old.is_down = False
    room.roll_back()
    room.work()
    room.retry_all()
    assert room.vectors() == {_OLD: 2, _NEW: 2}


def test_a_third_space_takes_the_place_of_the_former(room: ChangingRoom) -> None:
    room.start(_NEW)
    room.swap()
    room.start(_THIRD)
    assert room.swap() == Choice(_THIRD, None, _NEW)
    room.work()
    assert room.vectors() == {_NEW: 1, _THIRD: 1}


def test_a_cancelled_change_leaves_no_vector(room: ChangingRoom) -> None:
    room.start(_NEW, work=False)
    ring = room.bell.rings.pop()
    assert room.cancel() == Choice(_OLD)
    room.work()
    room.perform(ring.job_id)
    assert room.vectors() == {_OLD: 1}
    room.start(_NEW)
    assert room.vectors() == {_OLD: 1, _NEW: 1}


def test_a_change_that_is_begun_again_while_its_vectors_are_forgotten_keeps_them(room: ChangingRoom) -> None:
    room.start(_NEW)
    room.cancel()
    room.start(_NEW)
    assert room.vectors() == {_OLD: 1, _NEW: 1}
    assert room.progress().state is ChangeState.READY


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda room: room.start("unheard-of/8"), EmbeddingSpaceUnknown),
        (lambda room: room.start(_OLD), EmbeddingSpaceChosen),
        (lambda room: room.swap(), EmbeddingChangeNotFound),
        (lambda room: room.cancel(), EmbeddingChangeNotFound),
        (lambda room: room.roll_back(), FormerSpaceNotFound),
        (lambda room: room.forget(), FormerSpaceNotFound),
    ],
)
def test_what_makes_no_sense_is_refused(
    room: ChangingRoom, ask: Callable[[ChangingRoom], object], error: type[LorebaseError]
) -> None:
    with pytest.raises(error):
        ask(room)


def test_one_change_at_a_time(room: ChangingRoom) -> None:
    room.start(_NEW, work=False)
    for space, said in ((_NEW, f"{_NEW} is being filled already"), (_THIRD, "swap to it or cancel that change first")):
        with pytest.raises(EmbeddingChangeRunning, match=said):
            room.start(space)
    with pytest.raises(EmbeddingChangeNotReady, match=f"{_NEW} is filling: 0 of 1 chunks .* once it is ready"):
        room.swap()


def test_what_cannot_be_begun_is_not_estimated_either(room: ChangingRoom) -> None:
    with pytest.raises(EmbeddingSpaceChosen):
        estimate(room, _OLD)
    room.start(_NEW, work=False)
    with pytest.raises(EmbeddingChangeRunning):
        estimate(room, _THIRD)
    assert estimate(room, _NEW).chunks == 1


def test_of_two_starts_at_once_one_wins(room: ChangingRoom) -> None:
    def start(space: str) -> object:
        try:
            return room.start(space, work=False).filling
        except EmbeddingChangeRunning:
            return None

    with ThreadPoolExecutor(2) as pool:
        started = set(pool.map(start, [_NEW, _THIRD]))
    assert started == {None, room.choice().filling}
    room.work()
    assert set(room.vectors()) == {_OLD, room.choice().filling}


def test_admins_alone_change_it(room: ChangingRoom) -> None:
    with room.database.transaction() as tx, pytest.raises(ActionForbidden):
        start_change(
            tx,
            principal=room.principal,
            organization_id=room.organization_id,
            space=_NEW,
            embedders=room.embedders,
            jobs=room.queue,
        )


def test_members_see_the_spaces_and_not_how_much_there_is(room: ChangingRoom) -> None:
    room.start(_NEW)
    with room.database.transaction() as tx:
        shown = read_choice(
            tx, principal=room.principal, organization_id=room.organization_id, embedders=room.embedders
        )
    assert (shown.choice.active, shown.choice.filling) == (_OLD, _NEW)
    assert shown.progress is None


def test_a_workspace_that_comes_meanwhile_is_complete(room: ChangingRoom) -> None:
    room.start(_NEW)
    with room.database.transaction() as tx:
        workspace = create_workspace(
            tx, principal=room.admin, organization_id=room.organization_id, slug="later", name="Later"
        )
    room.principal = replace(
        room.principal, roles_by_workspace={**room.principal.roles_by_workspace, workspace.id: WorkspaceRole.OWNER}
    )
    room.workspace_id = workspace.id
    room.add("late.md", "A late text.")
    assert room.vectors() == {_OLD: 2, _NEW: 2}
    assert room.swap() == Choice(_NEW, None, _OLD)


def test_an_estimate_says_what_is_known(room: ChangingRoom) -> None:
    first = estimate(room, _NEW)
    assert (first.chunks, first.seconds, first.run.exceeds) == (1, None, ())
    assert first.run.counts.input_tokens > 3
    assert first.run.money == first.run.counts.input_tokens * Decimal(20) / 10**6
    room.start(_NEW)
    seconds = estimate(room, _NEW).seconds
    assert seconds is not None
    assert seconds > 0


def test_an_embedder_that_is_no_more_offered_stops_the_filling(room: ChangingRoom) -> None:
    room.start(_NEW, work=False)
    offered, room.offered = room.offered, ()
    room.work()
    progress = room.progress()
    assert progress.state is ChangeState.BLOCKED
    assert [problem["type"] for problem in progress.problems] == ["embedding-space-unknown"]
    room.offered = offered
    room.start(_NEW)
    assert room.progress().state is ChangeState.READY


def test_another_default_changes_nothing_for_who_has_vectors(room: ChangingRoom) -> None:
    room.embedder, room.offered = WordEmbedder(_NEW), (WordEmbedder(),)
    room.add("b.md", "Another text.")
    assert room.choice() == Choice(_OLD)
    assert room.vectors() == {_OLD: 2}
    with room.database.transaction() as tx:
        shown = read_choice(tx, principal=room.admin, organization_id=room.organization_id, embedders=room.embedders)
    assert shown.better == _NEW
