"""What is embedded names where the text stands, within bounds, and its key never changes by itself."""

import pytest

from chalicelib.index.embedded_text import embedded_text, sha256_of
from chalicelib.index.tokens import load_tokenizer


def embedded(title: str, *headings: str, text: str = "text", cap: int = 64) -> str:
    return embedded_text(title, headings, text, tokenizer=load_tokenizer(), cap=cap)


@pytest.mark.parametrize(
    ("title", "headings", "expected"),
    [
        ("Leave", ("Annual", "Carry over"), "Leave > Annual > Carry over\n\ntext"),
        ("Leave", ("Leave", "Annual"), "Leave > Annual\n\ntext"),
        ("  A\n b ", ("", " "), "A b\n\ntext"),
        ("", (), "text"),
    ],
)
def test_title_and_headings_stand_above_the_text_once_each(
    title: str, headings: tuple[str, ...], expected: str
) -> None:
    assert embedded(title, *headings) == expected


@pytest.mark.parametrize("title", ["word " * 500, "x" * 5000, "長" * 500, "😀" * 500, "\ud800" * 500, "a > " * 300])
def test_names_are_cut_to_the_cap_and_the_text_never(title: str) -> None:
    text = "The text stays. " * 400
    context, _, rest = embedded(title, "Heading " * 100, text=text).partition("\n\n")
    assert rest == text
    assert len(load_tokenizer().encode(context, add_special_tokens=False).ids) <= 64


def test_the_key_of_a_text_is_its_sha_256_in_every_release() -> None:
    text = embedded("Travel", "Trains", text="Second class.")
    assert sha256_of(text).hex() == "8d8b0411cbde0985b92557828cb1f256eb0d52290d7101125bc2ccd865a768d4"
    assert len(sha256_of("\ud800")) == 32
