"""Hits that no lane is sure of."""

import pytest

from chalicelib.search.confidence import LEAST_COSINES_BY_SPACE, is_weak
from chalicelib.search.model import Lane, Placing

SPACE = "all-MiniLM-L6-v2/384"
_LEAST = LEAST_COSINES_BY_SPACE[SPACE]
_NEAR, _FAR = Placing(1, _LEAST), Placing(1, _LEAST - 0.01)


@pytest.mark.parametrize(
    ("placings", "space", "expected"),
    [
        ({Lane.SEMANTIC: _FAR}, SPACE, True),
        ({Lane.SEMANTIC: _NEAR}, SPACE, False),
        ({Lane.SEMANTIC: _FAR, Lane.LEXICAL: Placing(40, 0.1)}, SPACE, False),
        ({Lane.LEXICAL: Placing(1, 0.1)}, SPACE, False),
        ({Lane.SEMANTIC: _FAR}, "unmeasured/32", False),
        ({Lane.LEXICAL: Placing(1, 0.1)}, None, False),
    ],
)
def test_a_hit_is_weak_where_no_word_and_no_nearness_speaks_for_it(
    placings: dict[Lane, Placing], space: str | None, *, expected: bool
) -> None:
    assert is_weak(placings, space=space) is expected
