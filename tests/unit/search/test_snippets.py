"""Which part of a chunk is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.search.snippets import snippet_of

_FILLER = "The weather was fine and nobody had anything to complain about at all. "


def _marked(text: str, worths: dict[str, float], *, language: str = "en") -> tuple[str, list[str]]:
    snippet = snippet_of(text, language=language, worth_by_term=worths)
    return snippet.text, [snippet.text[start:end] for start, end in snippet.highlights]


def test_the_window_holds_the_most_telling_words() -> None:
    text = _FILLER * 10 + "Reimbursements of travel costs take two weeks. " + _FILLER * 10
    shown, marked = _marked(text, {"reimburs": 5.0, "travel": 3.0, "weather": 1.0})
    assert shown in text
    assert len(shown) <= 320
    assert marked[:2] == ["Reimbursements", "travel"]
    assert "weather" not in marked


def test_inflected_and_accented_forms_are_marked() -> None:
    assert _marked("Die Häuser am Hang.", {"haus": 1.0}, language="de")[1] == ["Häuser"]


def test_words_are_not_torn() -> None:
    text = _FILLER * 20
    shown, _ = _marked(text, {"complain": 1.0})
    position = text.index(shown)
    assert position == 0 or text[position - 1] == " "
    assert text[position + len(shown)] == " "


def test_without_a_match_it_is_the_beginning() -> None:
    text = _FILLER * 20
    shown, marked = _marked(text, {})
    assert text.startswith(shown)
    assert marked == []


def test_a_short_chunk_is_shown_whole() -> None:
    assert _marked("  As\nit is. ", {}) == ("  As\nit is. ", [])


def test_a_text_without_blanks_is_cut_to_size() -> None:
    text = "日本語のテスト文書です。" * 100
    snippet = snippet_of(text, language="ja", worth_by_term={"テス": 1.0})
    assert 160 <= len(snippet.text) <= 320
    assert snippet.highlights


def test_headings_that_are_shown_anyway_are_not_shown_again() -> None:
    text = "# Travel\n\n## Costs of travel\n\nKeep the receipts of your travel."
    snippet = snippet_of(text, language="en", worth_by_term={"travel": 1.0}, heading_path=["Travel", "Costs of travel"])
    assert snippet.text == "Keep the receipts of your travel."
    assert [snippet.text[start:end] for start, end in snippet.highlights] == ["travel"]
    assert snippet_of("# Travel\n", language="en", worth_by_term={}, heading_path=["Travel"]).text == "# Travel\n"
    code = "# Not a heading\nrun it"
    assert snippet_of(code, language="en", worth_by_term={}, heading_path=["Travel"]).text == code


def test_the_window_begins_with_the_sentence() -> None:
    text = _FILLER * 10 + "Ask your lead, who knows the forms, about reimbursements. " + _FILLER * 10
    assert _marked(text, {"reimburs": 1.0})[0].startswith("Ask your lead")


def test_a_far_beginning_of_the_sentence_gives_way_to_some_words() -> None:
    text = "word " * 100 + "reimbursements " + "word " * 100
    shown, _ = _marked(text, {"reimburs": 1.0})
    assert 0 < shown.index("reimbursements") <= 60


def test_targets_of_links_neither_draw_the_window_nor_are_marked() -> None:
    link = '[the handbook]({% page "/travel-and-leave/travel-reimbursement/" %}) '
    text = link + _FILLER * 10 + "Reimbursements of travel costs take two weeks. " + _FILLER * 10 + link * 3
    shown, marked = _marked(text, {"reimburs": 5.0, "travel": 3.0})
    assert marked == ["Reimbursements", "travel"]
    assert shown.startswith("Reimbursements of travel")


def test_a_words_mark_is_on_the_links_text_and_not_on_its_target() -> None:
    assert _marked("See [travel](/travel/a) or https://a.example/travel.", {"travel": 1.0})[1] == ["travel"]
    assert _marked("![map](travel.png) for <https://a.example/travel> of travel", {"travel": 1.0})[0].endswith("travel")


def test_targets_of_links_count_where_nothing_else_matches() -> None:
    text = _FILLER * 10 + "See [here](https://example.com/travel/costs). " + _FILLER * 10
    shown, marked = _marked(text, {"travel": 1.0})
    assert marked == ["travel"]
    assert "[here](https://example.com/travel/costs)" in shown


def test_the_window_does_not_begin_within_a_target() -> None:
    link = '[the handbook of all]({% page "/some very long way to go through the tree/of leave/" %})'
    text = "word " * 100 + link + " reimbursements " + "word " * 100
    shown, marked = _marked(text, {"reimburs": 1.0})
    assert marked == ["reimbursements"]
    assert shown.startswith("[the handbook of all](")


def test_the_window_begins_behind_a_target_too_long_to_show() -> None:
    text = "word " * 100 + f"[there](/{'very-long-way/' * 40}) and some reimbursements " + "word " * 100
    shown, marked = _marked(text, {"reimburs": 1.0})
    assert marked == ["reimbursements"]
    assert shown.startswith("and some reimbursements")


def test_a_word_right_behind_a_target_stays_in_the_window() -> None:
    text = "word " * 100 + f"[there](/{'very-long-way/' * 40})—reimbursements " + "word " * 100
    assert _marked(text, {"reimburs": 1.0})[1] == ["reimbursements"]


@pytest.mark.parametrize("before", ["", _FILLER * 8, "x " * 200])
@pytest.mark.parametrize("word", ["-".join(["alpha"] * 60), "alpha." * 80 + "end", "alpha" * 60], ids=len)
@pytest.mark.parametrize("behind", ["", " tail" * 100])
def test_of_a_word_longer_than_the_window_its_beginning_is_shown(before: str, word: str, behind: str) -> None:
    shown, _ = _marked(before + word + behind, {"alpha": 1.0, "alpha" * 60: 1.0})
    assert len(shown) <= 320
    assert word[:200] in shown


@given(
    st.lists(st.integers(1, 700).map(lambda letters: "kiwi-" * (letters // 5) + "plum"), max_size=12),
    st.sampled_from(" \n"),
)
def test_whatever_words_are_long_a_window_of_the_text_is_shown(words: list[str], between: str) -> None:
    text = between.join(words)
    snippet = snippet_of(text, language="en", worth_by_term={"kiwi": 2.0, "plum": 1.0})
    assert snippet.text in text
    assert len(snippet.text) <= 320
    assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.highlights)
