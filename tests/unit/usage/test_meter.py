"""Every call is counted, and none twice."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseUnavailable
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.usage.meter import FLUSH_SECONDS
from chalicelib.usage.model import Counts, Grouping, ModelKind, Month, Purpose
from chalicelib.usage.store import forget_meters
from tests.fixtures.usage import UsageRoom


@pytest.fixture
def room(database: Database) -> UsageRoom:
    return UsageRoom(database)


def count(room: UsageRoom, tokens: int = 1, *, purpose: Purpose = Purpose.QUESTION) -> None:
    room.account(purpose).count(kind=ModelKind.EMBED, model="acme/embed", input_tokens=tokens)


class Unreliable:
    """Loses the first transaction: before it is done, or the answer to its commit."""

    def __init__(self, database: Database, patch: pytest.MonkeyPatch, *, is_committed: bool) -> None:
        self._is_committed = is_committed
        self._has_failed = False
        self._transaction = database.transaction
        patch.setattr(database, "transaction", self.transaction)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        has_failed, self._has_failed = self._has_failed, True
        if not has_failed and not self._is_committed:
            raise DatabaseUnavailable("The database is out of reach.")
        with self._transaction() as tx:
            yield tx
        if not has_failed:
            raise DatabaseUnavailable("The answer to the commit got lost.")


def test_calls_are_counted_by_day_workspace_purpose_and_model(room: UsageRoom) -> None:
    room.spend(10)
    room.spend(5, workspace_id=room.second, model="other/embed")
    room.clock.move(days=1)
    room.spend(7, purpose=Purpose.CONTEXTS)
    shown = {
        by: [(share.name, share.counts.calls, share.counts.input_tokens) for share in room.report(by).shares]
        for by in Grouping
    }
    assert shown == {
        Grouping.DAY: [("2026-11-16", 2, 15), ("2026-11-17", 1, 7)],
        Grouping.WORKSPACE: sorted([(str(room.first), 2, 17), (str(room.second), 1, 5)]),
        Grouping.PURPOSE: [("contexts", 1, 7), ("index", 2, 15)],
        Grouping.MODEL: [("acme/embed", 2, 17), ("other/embed", 1, 5)],
    }
    assert room.spending() == {None: 22, room.first: 17, room.second: 5}


def test_processes_that_count_at_once_lose_nothing(room: UsageRoom) -> None:
    processes = [room.process() for _ in range(4)]

    def work(number: int) -> None:
        metering = processes[number % 4]
        for n in range(20):
            place = room.first if (number + n) % 2 else room.second
            account = metering.account(Purpose.INDEX, workspace_id=place)
            account.count(kind=ModelKind.EMBED, model=f"acme/{n % 3}", input_tokens=3)
            if n % 5 == 0:
                metering.meter.flush()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    for metering in processes:
        while not metering.meter.flush():
            pass
    assert room.used() == Counts(160, 480, 0)
    assert room.spending() == {None: 480, room.first: 240, room.second: 240}


def test_a_question_costs_no_write_while_the_last_one_is_fresh(room: UsageRoom) -> None:
    meter = room.metering.meter
    written = []
    for second in range(2 * FLUSH_SECONDS):
        count(room)
        meter.flush_if_due()
        written.append(room.used().calls)
        room.clock.move(seconds=1)
        assert second + 1 - written[-1] <= FLUSH_SECONDS
    assert written == [1] * FLUSH_SECONDS + [FLUSH_SECONDS + 1] * FLUSH_SECONDS


@pytest.mark.parametrize("is_committed", [False, True], ids=["nothing was written", "its answer got lost"])
def test_what_could_not_be_written_is_written_later_and_once(
    room: UsageRoom, monkeypatch: pytest.MonkeyPatch, *, is_committed: bool
) -> None:
    count(room, 3)
    with monkeypatch.context() as patch:
        Unreliable(room.database, patch, is_committed=is_committed)
        assert not room.metering.meter.flush()
        count(room, 4)
        assert room.metering.meter.flush()
    assert room.used() == Counts(2, 7, 0)


def test_a_process_that_dies_takes_what_it_had_not_written_with_it_and_no_more(room: UsageRoom) -> None:
    room.spend(5)
    count(room, 100)
    room.metering = room.process()
    room.spend(6)
    assert room.used() == Counts(2, 11, 0)


def test_a_meter_writes_what_is_left_when_it_is_closed_and_what_comes_after_at_once(room: UsageRoom) -> None:
    count(room, 1)
    room.metering.meter.close()
    assert room.used().input_tokens == 1
    count(room, 1)
    assert room.used().input_tokens == 2


def test_the_last_second_of_a_month_counts_in_that_month(room: UsageRoom) -> None:
    room.clock.moment = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
    count(room, 3)
    room.clock.move(seconds=2)
    count(room, 4)
    room.metering.meter.flush()
    assert room.report(month=Month.read("2026-11")).counts.input_tokens == 3
    assert room.report().counts.input_tokens == 4


def test_counting_ends_at_the_largest_number_instead_of_failing(room: UsageRoom) -> None:
    for _ in range(3):
        room.spend(2**63 - 1)
    room.spend(2**80)
    count(room, -5)
    room.metering.meter.flush()
    assert room.used() == Counts(5, 2**63 - 1, 0)


@pytest.mark.parametrize("name", ["", "\x00", "\ud800 lone", "m" * 10_000, "名" * 300])
def test_whatever_a_model_is_called_it_is_counted(room: UsageRoom, name: str) -> None:
    room.spend(1, model=name)
    assert room.used() == Counts(1, 1, 0)


def test_what_belongs_to_a_workspace_that_never_was_is_left_out_and_harms_nothing_else(room: UsageRoom) -> None:
    room.account(workspace_id=WorkspaceId(new_id())).count(kind=ModelKind.EMBED, model="acme/embed", input_tokens=9)
    room.spend(1)
    assert room.used() == Counts(1, 1, 0)


def test_an_organization_as_a_whole_has_usage_of_its_own(room: UsageRoom) -> None:
    account = room.metering.account(Purpose.CHANGE_OF_SPACE, organization_id=room.organization_id)
    account.count(kind=ModelKind.EMBED, model="acme/embed", input_tokens=9)
    room.metering.meter.flush()
    assert [(share.name, share.counts.input_tokens) for share in room.report(Grouping.WORKSPACE).shares] == [(None, 9)]
    assert room.spending() == {None: 9}


def test_processes_that_wrote_nothing_for_long_are_forgotten(room: UsageRoom) -> None:
    room.spend(1)
    with room.database.transaction() as tx:
        assert forget_meters(tx, before=room.clock.now(), limit=10) == 0
    room.clock.move(seconds=1)
    with room.database.transaction() as tx:
        assert forget_meters(tx, before=room.clock.now(), limit=10) == 1
