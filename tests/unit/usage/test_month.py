"""Calendar months in UTC."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from chalicelib.usage.errors import MonthMalformed
from chalicelib.usage.model import Counts, Month
from chalicelib.usage.prices import Cost
from chalicelib.usage.report_usage import Forecast, foresee

NOVEMBER = Month(date(2026, 11, 1))


def test_a_moment_belongs_to_the_month_that_it_is_in_utc() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert str(Month.of(datetime(2026, 12, 1, 8, 59, tzinfo=tokyo))) == "2026-11"
    assert str(Month.of(datetime(2026, 12, 1, 9, 0, tzinfo=tokyo))) == "2026-12"


def test_the_month_after_december_is_january() -> None:
    assert str(Month.read("2026-12").next) == "2027-01"
    assert Month.read("2026-11").next.begin == datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "2026", "2026-13", "2026-00", "0000-01", "9999-12", "2026-1", "2026-1\u0661", "2026-11\n"]
)
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(MonthMalformed):
        Month.read(text)


def test_a_forecast_draws_the_line_on_from_the_second_day_to_the_last() -> None:
    counts, cost = Counts(1, 1000, 200), Cost(Decimal(6), 0)
    tenth = NOVEMBER.begin + timedelta(days=10)
    assert foresee(counts, cost, month=NOVEMBER, now=tenth) == Forecast(3600, Decimal(18))
    assert foresee(counts, Cost(Decimal(6), 5), month=NOVEMBER, now=tenth) == Forecast(3600, None)
    assert foresee(counts, cost, month=NOVEMBER, now=NOVEMBER.begin + timedelta(hours=23)) is None
    assert foresee(counts, cost, month=NOVEMBER, now=NOVEMBER.next.begin) is None
