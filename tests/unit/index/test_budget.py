"""Indexing with a budget: words come in whatever is spent, and vectors once something is left."""

from datetime import UTC, datetime

import pytest

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.intake.read_coverage import read_coverage
from chalicelib.items.model import IndexState
from chalicelib.jobs.list_jobs import list_jobs
from chalicelib.jobs.model import JobState
from chalicelib.jobs.sweep_jobs import sweep_jobs
from chalicelib.platform.ports import Embedder
from chalicelib.usage import budget_store
from chalicelib.usage.errors import BudgetSpent
from chalicelib.usage.gate import TRUST_SECONDS
from chalicelib.usage.metering import Metering
from chalicelib.usage.model import Grouping, Month
from chalicelib.usage.prices import Prices
from chalicelib.usage.store import sum_usage
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.contexts import ContextRoom
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom
from tests.fixtures.jobs import MovableClock
from tests.fixtures.language_models import WrittenModel


def _put_budget(tx: Transaction, room: IndexRoom, tokens: int) -> None:
    now = room.queue.clock.now()
    budget_store.put_budget(
        tx, room.organization_id, None, tokens=tokens, money=None, changed_by=room.principal.id, now=now
    )


class Room(ChangingRoom):
    """An index room whose embedder counts, in the middle of a month that a test may move on."""

    def __init__(self, database: Database, *offered: Embedder) -> None:
        self.clock = MovableClock()
        self.clock.moment = datetime(2026, 11, 16, tzinfo=UTC)
        self.words = WordEmbedder()
        super().__init__(database, self.words, offered=offered, metering=Metering(database, self.clock, Prices()))
        self.queue.clock = self.clock

    def budget(self, tokens: int) -> None:
        with self.database.transaction() as tx:
            _put_budget(tx, self, tokens)
            self.queue.wake(tx, organization_id=self.organization_id, waiting_for=BudgetSpent.problem_type())

    def used(self) -> list[tuple[str | None, int, int]]:
        assert self.metering is not None
        self.metering.meter.flush()
        month = self.clock.now().date().replace(day=1)
        with self.database.transaction() as tx:
            lines = sum_usage(
                tx,
                self.organization_id,
                workspace_id=self.workspace_id,
                by=Grouping.PURPOSE,
                since=month,
                until=self.clock.now().date().replace(year=month.year + 1),
            )
        return [(line.name, line.counts.calls, line.counts.input_tokens) for line in lines]

    def jobs(self) -> list[tuple[JobState, int]]:
        with self.database.transaction() as tx:
            jobs = list_jobs(tx, principal=self.principal, workspace_id=self.workspace_id)
        return [(job.state, job.attempts) for job in jobs]


@pytest.fixture
def room(database: Database) -> Room:
    return Room(database)


def test_each_batch_is_counted_once_whatever_comes_of_the_job(room: Room) -> None:
    item = room.add("a", "one two three four")
    read = sum(len(text.split()) for text in room.words.embedded)
    assert room.used() == [("index", 1, read)]
    room.change(item, title="Another title")
    read = sum(len(text.split()) for text in room.words.embedded)
    assert room.used() == [("index", 2, read)]

    def cut_off() -> None:
        raise KeyboardInterrupt

    room.add("b", "five six", index=False)
    room.words.meanwhile = cut_off
    with pytest.raises(KeyboardInterrupt):
        room.work()
    assert room.used() == [("index", 2, read)]


def test_what_a_job_read_that_failed_afterwards_was_spent(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object, **_named: object) -> None:
        raise OSError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("chalicelib.index.index_item.swap_chunks", fails)
        room.add("a", "one two three")
    assert room.used() == [("index", 1, sum(len(text.split()) for text in room.words.embedded))]


def test_words_are_in_search_while_vectors_wait_for_the_budget(room: Room) -> None:
    room.budget(0)
    item = room.add("a", "The quick brown fox")
    shown = room.read(item).index
    assert shown.state is IndexState.TEXT_READY
    assert shown.reason is not None
    assert shown.reason["type"] == "budget-spent"
    assert "2026-12-01" in shown.reason["detail"]
    with room.database.transaction() as tx:
        coverage = read_coverage(tx, principal=room.principal, workspace_id=room.workspace_id, quotas=room.quotas)
    assert [(wait.type, wait.detail, wait.count) for wait in coverage.waits] == [
        ("budget-spent", shown.reason["detail"], 1)
    ]
    assert room.paths("fox") == ["a"]
    assert room.words.embedded == []
    assert room.jobs() == [(JobState.WAITING, 0)]


def test_raising_the_budget_brings_the_vectors_at_once(room: Room) -> None:
    room.budget(0)
    items = [room.add(f"{n}", f"text number {n}") for n in range(3)]
    room.budget(1000)
    assert room.work() == ["done"] * 3
    assert [(room.read(item).index.state, room.read(item).index.reason) for item in items] == [
        (IndexState.READY, None)
    ] * 3


def test_the_next_month_brings_the_vectors_by_itself(room: Room) -> None:
    room.budget(1)
    room.add("a", "text that overshoots the budget")
    waiting = room.add("b", "text that waits")
    assert room.read(waiting).index.state is IndexState.TEXT_READY
    room.clock.moment = datetime(2026, 12, 1, tzinfo=UTC)
    sweep_jobs(room.worker)
    assert room.work() == ["done"]
    assert room.read(waiting).index.state is IndexState.READY


def test_an_edit_while_it_waits_is_found_by_its_words(room: Room) -> None:
    room.budget(0)
    item = room.add("a", "The quick brown fox")
    room.change(item, body="The lazy dog")
    assert (room.paths("dog"), room.paths("fox")) == (["a"], [])
    assert room.jobs() == [(JobState.WAITING, 0), (JobState.CANCELLED, 0)]
    room.budget(1000)
    assert room.work() == ["done"]
    assert room.read(item).index.state is IndexState.READY


def test_a_large_item_goes_on_where_the_budget_ended(database: Database) -> None:
    room = Room(database)
    room.chunk_tokens = 32
    room.budget(100)
    body = "\n\n".join(f"Paragraph {n} says " + "something or other " * 8 for n in range(150))
    item = room.add("a", body)
    first = len(room.words.embedded)
    assert 0 < first < len(room.chunks(item))
    room.budget(10**6)
    room.work()
    assert room.read(item).index.state is IndexState.READY
    assert len(set(room.words.embedded)) == len(room.chunks(item))


def test_a_change_of_space_is_counted_by_itself_and_waits_too(database: Database) -> None:
    others = WordEmbedder("others/48")
    room = Room(database, others)
    room.add("a", "one two three")
    before = room.used()
    room.clock.move(seconds=TRUST_SECONDS)
    room.budget(0)
    room.start("others/48")
    assert (room.used(), others.embedded) == (before, [])
    assert "budget-spent" in [problem["type"] for problem in room.progress().problems]
    room.budget(1000)
    room.work()
    read = sum(len(text.split()) for text in others.embedded)
    assert room.used() == [("change_of_space", 1, read), *before]
    room.add("b", "four five six")
    # What comes in while there are two spaces is indexed in both.
    assert [name for name, _, _ in room.used()] == ["change_of_space", "index", "index"]


def test_what_a_language_model_says_of_documents_is_counted_and_waits_too(database: Database) -> None:
    clock = MovableClock()
    metering = Metering(database, clock, Prices())
    model = WrittenModel(lambda told: {"summary": f"About {told['title']}."})
    room = ContextRoom(database, model=model, metering=metering)
    with database.transaction() as tx:
        _put_budget(tx, room, 0)
    room.switch(on=True)
    room.add("a", "A body.")
    assert len(model.prompts) == 0
    with database.transaction() as tx:
        _put_budget(tx, room, 1000)
        room.queue.wake(tx, organization_id=room.organization_id, waiting_for=BudgetSpent.problem_type())
    room.work()
    assert len(model.prompts) == 1
    metering.meter.flush()
    with database.transaction() as tx:
        (standing,) = budget_store.standings_of(
            tx,
            budget_store.list_budgets(tx, room.organization_id, workspace_id=None),
            month=Month.of(clock.now()),
            prices=Prices(),
        )
    assert (standing.tokens_used, standing.unpriced_tokens) == (12, 12)
