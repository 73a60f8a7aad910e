"""Filling another space beside the active one, on a real database with the real jobs."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.model import ChangeState, Choice
from chalicelib.identity.manage_workspaces import create_workspace
from chalicelib.identity.model import WorkspaceRole
from chalicelib.items.model import IndexState
from chalicelib.jobs.cancel_job import cancel_job
from chalicelib.jobs.model import JobId
from chalicelib.jobs.perform_job import Performance
from chalicelib.usage.errors import BudgetSpent
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_OLD, _NEW = "words/32", "others/48"
_SECTIONS = [f"# Section {n}\n\nWord{n} and some more words of section {n}." for n in range(5)]
_BODY = "\n\n".join(_SECTIONS)


@pytest.fixture
def new() -> WordEmbedder:
    return WordEmbedder(_NEW)


@pytest.fixture
def room(database: Database, new: WordEmbedder) -> ChangingRoom:
    return ChangingRoom(database, WordEmbedder(), offered=(new,))


def test_all_chunks_get_their_vectors_beside_the_active_ones(room: ChangingRoom, new: WordEmbedder) -> None:
    room.add("a.md", _BODY)
    room.add("b.md", "Another text.")
    assert room.choice() == Choice(_OLD)
    room.start(_NEW)
    assert room.vectors() == {_OLD: 6, _NEW: 6}
    assert len(new.embedded) == 6
    progress = room.progress()
    assert (progress.state, progress.chunks_done, progress.chunks_total) == (ChangeState.READY, 6, 6)
    assert progress.tokens == sum(len(text.split()) for text in new.embedded)
    assert room.choice().active == _OLD


def test_the_same_text_is_embedded_once(room: ChangingRoom, new: WordEmbedder) -> None:
    room.add("a.md", _SECTIONS[0], title="Same")
    room.add("b.md", _SECTIONS[0], title="Same")
    room.start(_NEW)
    assert room.vectors() == {_OLD: 2, _NEW: 2}
    assert len(new.embedded) == 1


def test_what_is_indexed_meanwhile_is_written_to_both(room: ChangingRoom, new: WordEmbedder) -> None:
    item = room.add("a.md", _BODY)
    room.start(_NEW)
    new.embedded.clear()
    room.change(item, body="\n\n".join(["# New\n\nA new beginning.", *_SECTIONS]))
    assert len(new.embedded) == 1
    assert room.vectors() == {_OLD: 6, _NEW: 6}
    room.delete(item)
    assert room.vectors() == {}


def test_a_large_item_that_comes_meanwhile_is_left_to_the_fill(
    room: ChangingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.index.index_item._PART", 2)
    room.start(_NEW)
    item = room.add("a.md", _BODY, index=False)
    room.perform(room.bell.rings.pop(0).job_id)
    assert room.read(item).index.state is IndexState.READY
    assert room.vectors() == {_OLD: 5}
    assert room.progress().state is ChangeState.FILLING
    room.work()
    assert room.vectors() == {_OLD: 5, _NEW: 5}
    assert room.progress().state is ChangeState.READY


def test_an_attempt_goes_on_where_one_ended(
    room: ChangingRoom, new: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.index.vectors._BATCH", 2)
    room.add("a.md", _BODY)

    def fail_once() -> None:
        if len(new.embedded) == 2:
            new.is_down = True
            new.embed_passages(["anything"])

    new.meanwhile = fail_once
    room.start(_NEW)
    assert room.vectors() == {_OLD: 5, _NEW: 2}
    [problem] = room.progress().problems
    assert problem["type"] == "embedder-unavailable"
    new.is_down, new.meanwhile = False, None
    assert Performance.DONE in room.retry_all()
    assert room.vectors() == {_OLD: 5, _NEW: 5}
    assert len(new.embedded) == 5
    assert room.progress().problems == []


def test_a_worker_is_kept_for_a_page_where_time_is_up(room: ChangingRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.index.fill_space._PAGE", 2)
    room.fill_seconds = 0.0
    for n in range(3):
        room.add(f"{n}.md", f"{_BODY}\n\nDocument {n}.")
    room.start(_NEW, work=False)
    assert len(room.work()) > 7
    assert room.vectors() == {_OLD: 15, _NEW: 15}
    assert room.progress().state is ChangeState.READY


def test_poison_harms_itself_alone_and_is_counted(room: ChangingRoom, new: WordEmbedder) -> None:
    new.refused, new.zero_for = "Word1", "Word3"
    room.add("a.md", _BODY)
    room.start(_NEW)
    assert room.vectors() == {_OLD: 5, _NEW: 3}
    progress = room.progress()
    assert progress.state is ChangeState.READY
    assert progress.failures == {"embedded-text-too-long": 1, "vector-without-direction": 1}


def test_more_poison_than_may_be_holds_the_change_back(room: ChangingRoom, new: WordEmbedder) -> None:
    new.refused = "some more words"
    for n in range(2):
        room.add(f"{n}.md", f"{_BODY}\n\nDocument {n}.")
    room.start(_NEW)
    assert room.progress().state is ChangeState.BLOCKED
    new.refused = None
    room.start(_NEW)
    assert room.progress().state is ChangeState.READY
    assert room.vectors() == {_OLD: 10, _NEW: 10}


def test_what_lacks_its_text_is_indexed_anew(room: ChangingRoom) -> None:
    item = room.add("a.md", "\n\n".join(f"Paragraph {n} of a text." for n in range(60)))
    room.chunk_tokens = 64
    room.start(_NEW)
    vectors = room.vectors()
    assert vectors[_NEW] == vectors[_OLD] == len(room.chunks(item)) > 5
    room.retry_all()
    assert room.progress().state is ChangeState.READY


def test_a_fill_and_edits_and_deletions_at_once_end_right(room: ChangingRoom) -> None:
    items = [room.add(f"{n}.md", f"{_BODY}\n\nDocument {n}.") for n in range(12)]
    room.start(_NEW, work=False)
    for item in items[:4]:
        room.change(item, body="\n\n".join(_SECTIONS[:2]), index=False)
    rings, room.bell.rings = room.bell.rings, []
    with ThreadPoolExecutor(6) as pool:
        performed = [pool.submit(room.perform, ring.job_id) for ring in rings]
        deleted = [pool.submit(room.delete, item) for item in items[8:]]
        assert [each.result() for each in deleted] == [None] * 4
        assert {each.result() for each in performed} <= {Performance.DONE, Performance.RETRIED}
    room.work()
    for _ in _rounds():
        if room.progress().state is ChangeState.READY:
            break
        room.retry_all()
    assert room.vectors() == {_OLD: 4 * 2 + 4 * 5, _NEW: 4 * 2 + 4 * 5}
    assert room.progress().state is ChangeState.READY


def _rounds() -> Iterator[int]:
    return iter(range(10))


def test_a_worker_that_dies_costs_a_batch_and_the_next_one_goes_on(
    room: ChangingRoom, new: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.index.vectors._BATCH", 2)
    room.add("a.md", _BODY)

    def die() -> None:
        if len(new.embedded) == 4:
            raise SystemExit

    new.meanwhile = die
    room.start(_NEW, work=False)
    [ring] = room.bell.rings
    with pytest.raises(SystemExit):
        room.work()
    assert room.vectors() == {_OLD: 5, _NEW: 4}
    assert room.progress().state is ChangeState.FILLING
    new.meanwhile = None
    room.end_leases()
    assert room.perform(ring.job_id) is Performance.DONE
    assert room.vectors() == {_OLD: 5, _NEW: 5}
    assert len(new.embedded) == 5
    assert (room.progress().state, room.progress().chunks_done) == (ChangeState.READY, 5)


def test_a_spent_budget_is_shown_and_waited_for(room: ChangingRoom, new: WordEmbedder) -> None:
    room.add("a.md", _BODY)
    until = room.queue.clock.now() + timedelta(days=9)

    def refuse() -> None:
        raise BudgetSpent("The budget is spent.", waits_until=until)

    new.meanwhile = refuse
    room.start(_NEW)
    assert [problem["type"] for problem in room.progress().problems] == ["budget-spent"]
    assert room.progress().state is ChangeState.FILLING
    new.meanwhile = None
    room.retry_all()
    assert room.progress().state is ChangeState.READY


def test_a_job_that_was_cancelled_blocks_the_change_until_it_is_begun_again(room: ChangingRoom) -> None:
    room.add("a.md", _BODY)
    room.start(_NEW, work=False)
    [ring] = room.bell.rings
    with room.database.transaction() as tx:
        cancel_job(
            tx,
            principal=room.principal,
            workspace_id=room.workspace_id,
            job_id=JobId(ring.job_id),
            queue=room.queue,
            handlers=room.worker.handlers,
        )
    assert room.progress().state is ChangeState.BLOCKED
    room.start(_NEW)
    assert room.progress().state is ChangeState.READY


def test_workspaces_are_filled_one_after_the_other(room: ChangingRoom, new: WordEmbedder) -> None:
    first = room.workspace_id
    room.add("a.md", "First words.")
    with room.database.transaction() as tx:
        second = create_workspace(tx, principal=room.admin, organization_id=room.organization_id, slug="second").id
    roles = {first: WorkspaceRole.OWNER, second: WorkspaceRole.OWNER}
    room.principal = replace(room.principal, roles_by_workspace=roles)
    room.workspace_id = second
    room.add("b.md", "Second words.")
    room.start(_NEW, work=False)
    earlier, later = room.bell.rings
    met: list[Performance] = []
    new.meanwhile = lambda: None if met else met.append(room.perform(later.job_id))
    assert room.perform(earlier.job_id) is Performance.DONE
    assert met == [Performance.RETRIED]
    assert room.vectors() == {_OLD: 2, _NEW: 1}
    assert room.progress().problems == []
    assert room.retry(later.job_id) is Performance.DONE
    assert room.progress().state is ChangeState.READY
