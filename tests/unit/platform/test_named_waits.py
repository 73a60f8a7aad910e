"""A wait is read from whichever header names it, and from none that does not."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from chalicelib.platform.named_waits import named_wait

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "9" * 400 + "h"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 +99999999999999"}, None),
        ({"retry-after": "8", "retry-after-ms": "250"}, 0.25),
        ({"x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        (
            {
                "x-ratelimit-reset-requests": "1h2m3.5s",
                "x-ratelimit-remaining-requests": "59",
                "x-ratelimit-reset-tokens": "2s",
                "x-ratelimit-remaining-tokens": "0",
            },
            2.0,
        ),
        (
            {
                "x-ratelimit-reset-requests": "1h",
                "x-ratelimit-reset-tokens": "2s",
                "x-ratelimit-remaining-tokens": "0",
            },
            2.0,
        ),
        ({"x-ratelimit-reset-requests": "8s", "x-ratelimit-remaining-requests": "59"}, None),
        ({"x-ratelimit-reset": str(int(NOON.timestamp()) + 12)}, 12.0),
        ({"x-ratelimit-reset-tokens": "whenever"}, None),
        ({"x-ratelimit-reset-tokens": "9" * 400 + "s", "x-ratelimit-reset-requests": "1s"}, 1.0),
    ],
)
def test_the_seconds_to_wait(headers: Mapping[str, str], seconds: float | None) -> None:
    assert named_wait(headers, NOON) == (None if seconds is None else pytest.approx(seconds))
