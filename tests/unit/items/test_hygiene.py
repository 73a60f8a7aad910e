import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.items.hygiene import clean_json, clean_text

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=80)


@given(ANY_TEXT)
def test_clean_text_has_nothing_harmful_and_stays_as_it_is(text: str) -> None:
    clean, _ = clean_text(text)
    assert not any(unicodedata.category(each) == "Cc" and each not in "\n\t" for each in clean)
    assert not any(unicodedata.category(each) == "Cs" for each in clean)
    assert unicodedata.is_normalized("NFC", clean)
    assert clean_text(clean) == (clean, {})


def test_each_loss_is_counted() -> None:
    text, counts = clean_text("\ufeffo\x00er\x01\ud800 \u202ex e\u0301\r\nb\rc")
    assert text == "oer\ufffd x é\nb\nc"
    assert counts == {"byte_order_mark": 1, "nul": 1, "control": 1, "surrogate": 1, "bidi": 1, "composed": 1}


def test_halves_that_belong_together_are_joined() -> None:
    assert clean_text("\ud83d\ude00") == ("😀", {})


def test_marks_that_spelling_needs_stay() -> None:
    assert clean_text("می\u200cگویم \u200f 👩\u200d💻")[1] == {}


def test_json_is_cleaned_in_keys_and_values() -> None:
    clean, counts = clean_json({"a\x00": ["A\x00B", {"n": float("nan"), "ok": 1.5}], "t": None})
    assert clean == {"a": ["AB", {"n": None, "ok": 1.5}], "t": None}
    assert counts == {"nul": 2, "not_a_number": 1}


def test_json_that_nests_without_end_is_cut() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    assert clean_json(deep)[1] == {"too_deep": 1}
