"""Which parts of a Markdown text are targets."""

import pytest

from chalicelib.search.link_targets import link_targets
from tests.fixtures.effort import least_seconds


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[a](/b/c) d", ["](/b/c)"]),
        ('![a](b.png "Title of b") d', ['](b.png "Title of b")']),
        ('[a]({% page "/b c/" %}) d', ["](" + '{% page "/b c/" %})']),
        ('[a]({{< ref "b c" >}}) d', ["](" + '{{< ref "b c" >}})']),
        ("[a](<b c>) d", ["](<b c>)"]),
        ("[a](https://a.example/b_(c)) d", ["](https://a.example/b_(c))"]),
        ("see <https://a.example/b> and https://a.example/c, d", ["<https://a.example/b>", "https://a.example/c,"]),
        ("a\n[label]: /b/c\nd", ["[label]: /b/c"]),
        ('<a href="/b/c">d</a>', ['href="/b/c"']),
        ("[^1]: travel", []),
        ("[Note]: travel costs money", []),
        ("handlers[name](request, answer) and f(x)", []),
        ("a [b] (c) <d>", []),
    ],
)
def test_targets_are_told_from_what_is_read(text: str, targets: list[str]) -> None:
    assert [text[start:end] for start, end in link_targets(text)] == targets


@pytest.mark.parametrize("piece", ["](", "]({%", "](a ", '](a "', "[a]: ", "<a:", 'href="', "]((", "](\n", "[a", "{% "])
def test_hostile_text_takes_little_time(piece: str) -> None:
    assert least_seconds(lambda: link_targets(piece * 4000), enough=1) < 1


@pytest.mark.parametrize("opening", ["](", "](a", "[a]: b", '](a "b"', "<a"])
def test_a_long_run_of_blanks_takes_little_time(opening: str) -> None:
    assert least_seconds(lambda: link_targets(opening + " " * 40_000), enough=1) < 1
