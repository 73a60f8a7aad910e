"""How hits are shown."""

import pytest

from chalicelib.cli.client import Json
from chalicelib.cli.search import places_of


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        ({"lanes": {"lexical": {"rank": 1}, "semantic": {"rank": 3}}, "weak": False}, "words 1, meaning 3"),
        ({"lanes": {"lexical": {"rank": 2}}, "weak": False}, "words 2"),
        ({"lanes": {"semantic": {"rank": 1}}, "weak": True}, "meaning 1; weak match"),
    ],
)
def test_a_hit_tells_at_which_place_each_lane_has_it(hit: Json, expected: str) -> None:
    assert places_of(hit) == expected
