from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.platform.ports import Doorbell, Ring

if TYPE_CHECKING:
    from tests.fixtures.aws import Aws


@dataclass
class Door:
    """A bell, and whether whoever waits behind it has heard something since the last asking."""

    bell: Doorbell
    was_rung: Callable[[], bool]


@pytest.fixture(params=["local", "aws"])
def door(request: pytest.FixtureRequest) -> Door:
    if request.param == "local":
        bell = LocalDoorbell()
        return Door(bell, lambda: bell.wait(0))
    aws: Aws = request.getfixturevalue("aws")
    urls = aws.queue_urls_by_kind.values()
    return Door(aws.doorbell(), lambda: any(aws.take_messages(url) for url in urls))


@pytest.mark.parametrize("count", [1, 11])
def test_who_waits_hears_a_ring_once(door: Door, count: int) -> None:
    door.bell.ring([Ring(uuid4(), "index_item") for _ in range(count)])
    assert door.was_rung()
    assert not door.was_rung()


def test_a_ring_is_heard_although_nobody_waited_yet(door: Door) -> None:
    assert not door.was_rung()
    door.bell.ring([Ring(uuid4(), "extract_upload")])
    door.bell.ring([Ring(uuid4(), "index_item")])
    assert door.was_rung()


def test_no_rings_wake_nobody(door: Door) -> None:
    door.bell.ring([])
    assert not door.was_rung()


def test_an_announcement_is_taken_and_wakes_no_worker(door: Door) -> None:
    assert door.bell.announce()
    assert door.bell.announce()
    assert not door.was_rung()
