"""Cuts are made by what the text says, so that an edit moves few of them; small sections come together."""

import random

import pytest

from chalicelib.index.chunking import Chunk, chunk_body
from chalicelib.index.tokens import load_tokenizer
from tests.fixtures.effort import least_seconds

WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
]


def prose(sentences: int, *, paragraph: int) -> str:
    chance = random.Random(7)
    made = [" ".join(chance.choices(WORDS, k=chance.randint(6, 20))).capitalize() + "." for _ in range(sentences)]
    return "\n\n".join(" ".join(made[at : at + paragraph]) for at in range(0, sentences, paragraph))


def texts_of(body: str, *, size: int = 256, overlap: int = 32, packed: int = 0) -> list[str]:
    chunks = chunk_body(
        body, tokenizer=load_tokenizer(), chunk_tokens=size, overlap_tokens=overlap, packed_tokens=packed
    )
    return [body[chunk.start : chunk.end] for chunk in chunks]


@pytest.mark.parametrize("paragraph", [1, 4, 1000])
@pytest.mark.parametrize("size", [128, 256])
def test_a_sentence_at_the_top_of_a_long_section_changes_its_first_chunks_only(paragraph: int, size: int) -> None:
    text = prose(300, paragraph=paragraph)
    before = texts_of(f"# Section\n\n{text}", size=size)
    after = texts_of(f"# Section\n\nOne more sentence that was not there. {text}", size=size)
    assert len(before) >= 20
    assert len(set(after) - set(before)) <= 5


@pytest.mark.parametrize("packed", [0, 128])
def test_a_paragraph_at_the_top_of_a_document_changes_one_or_two_chunks(packed: int) -> None:
    sections = [f"## Section {n}\n\nWhat stands in section {n} is told in {n} words." for n in range(50)]
    before = texts_of("# Title\n\nIntroduction.\n\n" + "\n\n".join(sections), packed=packed)
    after = texts_of("# Title\n\nNew words.\n\nIntroduction.\n\n" + "\n\n".join(sections), packed=packed)
    assert 1 <= len(set(after) - set(before)) <= 2


def test_rows_put_in_at_the_top_of_a_table_change_few_chunks() -> None:
    rows = [f"| {n} | {WORDS[n % 18]} {n * 7919 % 1000} |" for n in range(600)]
    head = "| Number | Name |\n| --- | --- |\n"
    before = texts_of(head + "\n".join(rows))
    after = texts_of(head + "| new | row |\n" + "\n".join(rows))
    assert len(before) >= 20
    assert len(set(after) - set(before)) <= 5


def packed_of(body: str) -> list[Chunk]:
    return chunk_body(body, tokenizer=load_tokenizer(), chunk_tokens=256, overlap_tokens=0, packed_tokens=64)


def test_small_sections_under_one_heading_come_together_under_its_path() -> None:
    chunks = packed_of("# A\n\nOf A.\n\n## B\n\nOf B.\n\n## C\n\n### D\n\nOf D.\n")
    assert [chunk.heading_path for chunk in chunks] == [("A",)]


def test_sections_of_different_headings_stay_apart() -> None:
    chunks = packed_of("# A\n\n## B\n\nOf B.\n\n### C\n\nOf C.\n\n# D\n\n## E\n\n### F\n\nOf F.\n")
    assert [chunk.heading_path for chunk in chunks] == [("A", "B"), ("D", "E", "F")]


def test_sections_that_fill_a_pack_are_not_put_together() -> None:
    chunks = packed_of("".join(f"## {name}\n\n" + f"{name} " * 50 + "\n\n" for name in WORDS[:6]))
    assert [chunk.heading_path for chunk in chunks] == [(name,) for name in WORDS[:6]]


@pytest.mark.parametrize(
    "unit",
    [
        "# a\n",
        "# a\nb\n",
        "| x | y |\n",
        "<table><tr>",
        "<h2>\n",
        "> a\n>\n",
        "- a\n  - b\n",
        "This is a sentence. ",
        ". ",
        "\n",
        " ",
        "|",
        "function(a,b){return a+b};",
        "word\n---\n",
        "a:\n\n| b |\n\n",
        "```\n",
        "語",
        "ก",
    ],
)
def test_cutting_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        body = unit * (size // len(unit))
        return least_seconds(lambda: chunk_body(body, tokenizer=load_tokenizer(), packed_tokens=128))

    assert seconds(80_000) < 0.1 + 24 * seconds(10_000)
