"""What may be spent in a month, and what happens at its end."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.identity.errors import OrganizationNotFound, WorkspaceNotFound
from chalicelib.identity.model import OrganizationId, OrganizationRole, WorkspaceId
from chalicelib.identity.rights import ActionForbidden
from chalicelib.usage.errors import BudgetNotFound, BudgetRefused, BudgetSpent
from chalicelib.usage.estimate import estimate_run, tokens_of
from chalicelib.usage.gate import TRUST_SECONDS
from chalicelib.usage.manage_budgets import MOST_TOKENS, clear_budget, read_budget, read_workspace_budget
from chalicelib.usage.metered import MeteredEmbedder
from chalicelib.usage.model import BudgetState, Counts, Purpose
from chalicelib.usage.prices import Prices
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.usage import UsageRoom


@pytest.fixture
def room(database: Database) -> UsageRoom:
    return UsageRoom(database)


def passes(room: UsageRoom, purpose: Purpose = Purpose.INDEX, *, workspace_id: WorkspaceId | None = None) -> bool:
    try:
        room.account(purpose, workspace_id=workspace_id).require_budget()
    except BudgetSpent:
        return False
    return True


def test_without_a_budget_everything_passes_and_nobody_asks_again_for_a_moment(room: UsageRoom) -> None:
    room.spend(10**12)
    assert passes(room)
    room.budget(tokens=0)
    assert passes(room)
    room.clock.move(seconds=TRUST_SECONDS)
    assert not passes(room)


def test_a_budget_in_tokens_is_spent_by_all_workspaces_together(room: UsageRoom) -> None:
    room.budget(tokens=100)
    room.spend(60)
    room.spend(39, workspace_id=room.second)
    assert passes(room)
    room.spend(1, workspace_id=room.second)
    assert not passes(room)


def test_a_workspaces_budget_stops_that_workspace_alone(room: UsageRoom) -> None:
    room.budget(tokens=10, workspace_id=room.second)
    room.spend(100)
    room.spend(10, workspace_id=room.second)
    assert passes(room)
    assert not passes(room, workspace_id=room.second)


def test_what_this_process_has_not_written_yet_counts(room: UsageRoom) -> None:
    room.budget(tokens=10)
    account = room.account()
    MeteredEmbedder(WordEmbedder(), account).embed_passages(["one two three"] * 4)
    with pytest.raises(BudgetSpent):
        account.require_budget()


def test_questions_are_counted_and_never_stopped(room: UsageRoom) -> None:
    room.budget(tokens=2)
    embedder = MeteredEmbedder(WordEmbedder(), room.account(Purpose.QUESTION))
    for _ in range(3):
        embedder.embed_query("what is this")
    room.metering.meter.flush()
    assert room.used() == Counts(3, 9, 0)
    assert not passes(room)


def test_the_next_month_begins_anew_and_the_refusal_says_when_that_is(room: UsageRoom) -> None:
    room.clock.moment = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
    room.budget(tokens=5)
    room.spend(5)
    with pytest.raises(BudgetSpent, match=r"in 2026-12 is spent.*2027-01-01.*lorebase budget set") as raised:
        room.account().require_budget()
    assert raised.value.waits_until == datetime(2027, 1, 1, tzinfo=UTC)
    room.clock.move(seconds=1)
    assert passes(room)


def test_a_budget_in_money_counts_what_has_a_price(room: UsageRoom) -> None:
    room.budget(money=Decimal("0.01"))
    room.spend(10**9, model="other/embed")
    room.spend(10**9, model="words/32")
    room.spend(4_999)
    standing = room.report().standings[0]
    assert (standing.money_used, standing.unpriced_tokens) == (Decimal("0.009998"), 10**9)
    assert (standing.state, passes(room)) == (BudgetState.NEAR, True)
    room.spend(1)
    assert not passes(room)


def test_four_fifths_are_said_once_in_the_log(room: UsageRoom, caplog: pytest.LogCaptureFixture) -> None:
    room.budget(tokens=100)
    room.spend(79)
    assert passes(room)
    assert caplog.messages == []
    room.spend(1)
    assert passes(room)
    assert passes(room)
    assert caplog.messages == [
        f"The budget of organization {room.organization_id} for 2026-11 is near: 80 % are used.",
    ]


def test_workers_at_the_end_of_a_budget_overshoot_it_by_one_call_each(room: UsageRoom) -> None:
    room.budget(tokens=1000)
    embedded: list[int] = []

    def work(_number: int) -> None:
        account = room.process().account(Purpose.INDEX, workspace_id=room.first)
        embedder = MeteredEmbedder(WordEmbedder(), account)
        while True:
            try:
                embedded.append(embedder.embed_passages(["ten words " * 5] * 7).tokens)
            except BudgetSpent:
                return

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert 1000 <= sum(embedded) <= 1000 + 4 * 70


def test_raising_or_clearing_a_budget_lets_work_pass_at_once(room: UsageRoom) -> None:
    room.budget(tokens=5)
    room.spend(5)
    assert not passes(room)
    room.budget(tokens=6)
    assert passes(room)
    room.budget(tokens=0)
    assert not passes(room)
    with room.database.transaction() as tx:
        clear_budget(
            tx,
            principal=room.admin,
            organization_id=room.organization_id,
            workspace_id=None,
            queue=room.queue,
        )
    assert passes(room)


@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"tokens": -1},
        {"tokens": MOST_TOKENS + 1},
        {"money": Decimal(-1)},
        {"money": Decimal("NaN")},
        {"money": Decimal("Infinity")},
        {"money": Decimal(10**10)},
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(room: UsageRoom, terms: dict[str, Any]) -> None:
    with pytest.raises(BudgetRefused):
        room.budget(**terms)


def test_a_budget_in_money_is_refused_where_nothing_has_a_price(database: Database) -> None:
    with pytest.raises(BudgetRefused, match="LOREBASE_MODEL_PRICES"):
        UsageRoom(database, prices=Prices()).budget(money=Decimal(5))


@pytest.mark.parametrize(("is_of_workspace", "expected"), [(False, OrganizationNotFound), (True, WorkspaceNotFound)])
def test_nobody_but_the_organizations_admins_sets_a_budget(
    room: UsageRoom, *, is_of_workspace: bool, expected: type[Exception]
) -> None:
    workspace_id = room.first if is_of_workspace else None
    admin = room.admin
    room.admin = replace(admin, organization_role=OrganizationRole.MEMBER)
    with pytest.raises(ActionForbidden):
        room.budget(tokens=1, workspace_id=workspace_id)
    room.admin = replace(admin, organization_id=OrganizationId(new_id()), roles_by_workspace={})
    with pytest.raises(expected):
        room.budget(tokens=1, workspace_id=workspace_id)


def test_a_budget_is_shown_to_those_it_concerns(room: UsageRoom) -> None:
    with room.database.transaction() as tx, pytest.raises(BudgetNotFound):
        read_budget(
            tx,
            principal=room.admin,
            organization_id=room.organization_id,
            prices=room.prices,
            now=room.clock.now(),
        )
    room.budget(tokens=50, workspace_id=room.first)
    room.spend(45)
    owner = replace(room.admin, organization_role=OrganizationRole.MEMBER)
    with room.database.transaction() as tx:
        standing = read_workspace_budget(
            tx, principal=owner, workspace_id=room.first, prices=room.prices, now=room.clock.now()
        )
    assert (standing.tokens_used, standing.share, standing.state) == (45, 0.9, BudgetState.NEAR)


def test_an_estimate_says_what_a_run_costs_and_which_budgets_it_would_end(room: UsageRoom) -> None:
    room.budget(tokens=1_000_000)
    room.budget(tokens=10, workspace_id=room.second)
    room.spend(900_000)

    def estimated(tokens: int, workspace_id: WorkspaceId | None, model: str) -> tuple[object, ...]:
        with room.database.transaction() as tx:
            run = estimate_run(
                tx,
                organization_id=room.organization_id,
                workspace_id=workspace_id,
                model=model,
                counts=Counts(0, tokens, 0),
                prices=room.prices,
                now=room.clock.now(),
            )
        return run.money, run.is_in_house, [standing.budget.workspace_id for standing in run.exceeds]

    assert estimated(100_000, room.first, "acme/embed") == (Decimal("0.2"), False, [])
    assert estimated(100_001, room.first, "words/32") == (Decimal(0), True, [None])
    assert estimated(100, room.second, "other/embed") == (None, False, [room.second])


def test_text_that_was_not_chunked_is_taken_for_a_token_every_four_bytes() -> None:
    assert [tokens_of(size) for size in (0, 1, 4, 5, 10**9)] == [0, 1, 1, 2, 250_000_000]
