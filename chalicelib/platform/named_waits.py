"""Reads when a provider that turned a call away wants to be asked again."""

import math
import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PARTS = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
# What is larger is a moment of the Unix calendar, and no number of seconds to wait.
_MOMENTS_FROM = 1e9


def named_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds to wait, or None where no header says so. `headers` are by lower-case name.

    `Retry-After` is a number or a date (RFC 9110, section 10.2.3), `retry-after-ms` its finer kin. OpenAI and those who
    follow it name the time at which each limit is whole again (platform.openai.com/docs/guides/rate-limits): that of a
    limit with nothing left counts, and where none says what is left, the latest.
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    if "retry-after" in headers:
        return _seconds(headers["retry-after"], now)
    resets = {
        name.removeprefix("x-ratelimit-reset-"): wait
        for name, value in headers.items()
        if name.startswith("x-ratelimit-reset") and (wait := _seconds(value, now)) is not None
    }
    left = {limit: headers.get(f"x-ratelimit-remaining-{limit}", "") for limit in resets}
    spent = [resets[limit] for limit, rest in left.items() if _number(rest) == 0]
    unknown = [resets[limit] for limit, rest in left.items() if _number(rest) is None]
    return max(spent or unknown, default=None)


def _seconds(text: str, now: datetime) -> float | None:
    text = text.strip()
    number = _number(text)
    if number is not None:
        return max(0.0, number - now.timestamp()) if number >= _MOMENTS_FROM else number
    if re.fullmatch(f"(?:{_PARTS.pattern})+", text):
        wait = sum(float(count) * _UNITS[unit] for count, unit in _PARTS.findall(text))
        return wait if math.isfinite(wait) else None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=now.tzinfo)
    return max(0.0, (moment - now).total_seconds())


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,15}(\.\d{1,9})?", text.strip()) else None
