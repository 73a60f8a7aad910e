"""A long body is shortened to the beginnings of its sections."""

import pytest

from chalicelib.index.outline import outline

BOOK = "\n\n".join(f"# Chapter {number}\n\n" + f"word{number} " * 400 for number in range(1, 6))


def test_what_fits_is_taken_whole() -> None:
    assert outline("# A\n\ntext", characters=100) == "# A\n\ntext"


def test_each_section_is_there_with_its_beginning() -> None:
    shortened = outline(BOOK, characters=2000)
    assert len(shortened) <= 2000
    for number in range(1, 6):
        assert f"# Chapter {number}\n\nword{number} word{number}" in shortened
    assert shortened.count("[…]") == 5


def test_what_short_sections_leave_goes_to_long_ones() -> None:
    body = "# Short\n\nbrief\n\n# Long\n\n" + "word " * 1000
    shortened = outline(body, characters=1000)
    assert shortened.startswith("# Short\n\nbrief\n\n# Long")
    assert 900 < len(shortened) <= 1000


def test_of_too_many_sections_some_are_read_throughout() -> None:
    body = "\n\n".join(f"# S{number}\n\n" + "x" * 300 for number in range(1000))
    shortened = outline(body, characters=1200)
    assert len(shortened) <= 1200
    assert shortened.startswith("# S0\n")
    assert "# S900" in shortened


@pytest.mark.parametrize(
    "body", ["word " * 5000, "x" * 20_000, "東" * 20_000, "\n" * 20_000, "# " * 9000, "a\n\n" * 9000]
)
@pytest.mark.parametrize("characters", [1, 50, 500, 4000])
def test_it_never_exceeds_the_budget(body: str, characters: int) -> None:
    assert len(outline(body, characters=characters)) <= characters


def test_one_long_section_is_its_beginning() -> None:
    shortened = outline("word " * 5000, characters=500)
    assert shortened.startswith("word word")
    assert len(shortened) > 450
