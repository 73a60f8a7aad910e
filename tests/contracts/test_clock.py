from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.platform.aws.clock import SystemClock as AwsClock
from chalicelib.platform.local.clock import SystemClock as LocalClock
from chalicelib.platform.ports import Clock


@pytest.mark.parametrize("clock", [AwsClock(), LocalClock()], ids=["aws", "local"])
def test_the_time_is_the_present_in_utc(clock: Clock) -> None:
    before = datetime.now(UTC)
    now = clock.now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta(0)
