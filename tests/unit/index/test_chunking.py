"""Chunks cover the body, keep the limit, know their headings and leave whole what fits."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.index.chunking import Chunk, chunk_body
from chalicelib.index.errors import ChunkSizeRefused
from chalicelib.index.tokens import load_tokenizer

MARKUP = st.sampled_from(
    [
        "# A\n",
        "## B\n\n",
        "Title\n===\n",
        "```\n",
        "```python\n",
        "def f():\n    pass\n",
        "~~~~\r",
        "\r",
        "\n\n",
        "word. ",
        "As follows:\n",
        "長い。",
        "😀",
        "- one\n",
        "  - two\n",
        "12. three\n\n    more\n",
        "| a |\n",
        "| Name | Days | Remark |\n| --- | ---: | --- |\n",
        "a | b\n--- | ---\n",
        "| x | 5 | none \\| all |\n" * 4,
        "> quoted\n>\n",
        "<table><tr><th>A</th></tr>",
        "<tr><td>x</td><td>y</td></tr>" * 3,
        "</table>\n",
        "<h2\nid='x'>C</h2>\n",
        "0123456789abcdef" * 20,
        "\u200b",
    ]
)


def chunks_of(body: str, *, size: int = 512, overlap: int = 64) -> list[Chunk]:
    return chunk_body(body, tokenizer=load_tokenizer(), chunk_tokens=size, overlap_tokens=overlap)


def texts_of(body: str, *, size: int = 512, overlap: int = 64) -> list[str]:
    return [body[chunk.start : chunk.end] for chunk in chunks_of(body, size=size, overlap=overlap)]


def uncovered(body: str, chunks: list[Chunk]) -> list[int]:
    seen = {i for chunk in chunks for i in range(chunk.start, chunk.end)}
    return [i for i, character in enumerate(body) if not character.isspace() and i not in seen]


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.text(max_size=80) | MARKUP, max_size=60).map("".join),
    st.sampled_from([0, 8, 16]),
    st.sampled_from([0, 24, 40]),
)
def test_every_visible_character_is_in_an_ordered_chunk_within_the_limit(body: str, overlap: int, packed: int) -> None:
    tokenizer = load_tokenizer()
    chunks = chunk_body(body, tokenizer=tokenizer, chunk_tokens=40, overlap_tokens=overlap, packed_tokens=packed)
    assert uncovered(body, chunks) == []
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    assert all(a.start < b.start and a.end < b.end for a, b in itertools.pairwise(chunks))
    for chunk in chunks:
        true, opening = (
            len(tokenizer.encode(text, add_special_tokens=False).ids)
            for text in (body[chunk.start : chunk.end], chunk.opening)
        )
        assert true <= chunk.tokens <= 40 - opening


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ("# A\n\ntext\n\n## B\n\nmore", [("A",), ("A", "B")]),
        ("# A\n\n## B\n\nmore", [("A", "B")]),
        ("A\n===\ntext\n\nB\n---\nmore", [("A",), ("A", "B")]),
        ("<h1>A</h1>\ntext\n<h2 id='x'>B</h2>\nmore", [("A",), ("A", "B")]),
        ("````\n```\n# no\n```\n````\n", [()]),
        ("    # no\n", [()]),
        ("---\ntitle: x\n# no\n---\ntext", [()]),
        ("~~~\n# no\n```\n# no\n~~~\n# A\ntext", [(), ("A",)]),
        ("# A #\r\rtext\r\r## B ##\r\rmore", [("A",), ("A", "B")]),
        ("# A\ntext\n### C\nmore\n## B\nlast", [("A",), ("A", "C"), ("A", "B")]),
        ("<h1\n  id='x'>\n  A <a href='#x'>#</a>\n</h1>\ntext", [("A #",)]),
        ("<h2>never closed\n\ntext", [()]),
        ("- item\n---\ntext\n\n1. one\nmore\n===\n", [()]),
        ("> # quoted\n\ntext", [()]),
        ("## [A](x.md) `b_c` {#a}\ntext", [("A b_c",)]),
        (f"# {'long ' * 300}\ntext", [(("long " * 40)[:199].rstrip() + "…",)]),
    ],
)
def test_heading_paths_follow_headings_only(body: str, paths: list[tuple[str, ...]]) -> None:
    assert [c.heading_path for c in chunks_of(body)] == paths


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("# A\n\ntext\n\n## Empty\n\n# B\n\nmore", ["# A\n\ntext\n\n## Empty", "# B\n\nmore"]),
        ("# Empty\n\n# B\n\nmore\n\n# Last", ["# Empty\n\n# B\n\nmore\n\n# Last"]),
        ("# A\n## Empty\n# B\nmore", ["# A\n## Empty\n# B\nmore"]),
        ("\n\n# A", ["# A"]),
        ("# A\n# B\n## C", ["# A\n# B\n## C"]),
        ("intro\n\n# Empty", ["intro\n\n# Empty"]),
    ],
)
def test_a_heading_without_text_is_no_chunk_unless_it_is_all_there_is(body: str, texts: list[str]) -> None:
    assert texts_of(body) == texts


FENCE = "```python\n" + "\n\n".join(f"def f{n}():\n    return {n}" for n in range(6)) + "\n```"
TABLE = "| Kind | Days |\n| --- | --- |\n" + "\n".join(f"| leave {n} | {n}. |" for n in range(8))
LIST = "\n\n".join(f"- Item {n} is here. It has two sentences." for n in range(6))
NESTED = "1. First\n\n   More of it. And more.\n\n   - inner one.\n\n2. Second\nlazily continued.\n\n3) Third."
PROSE = "This sentence is one of many. " * 9


@pytest.mark.parametrize("block", [FENCE, TABLE, LIST, NESTED], ids=["fence", "table", "list", "nested list"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("sentences", range(1, 10, 2))
def test_a_block_that_fits_stays_whole_wherever_it_stands(block: str, gap: str, sentences: int) -> None:
    body = f"{PROSE[: 30 * sentences].strip()}\n\n{PROSE}{'' if block == NESTED else gap}{gap}{block}\n\n{PROSE}"
    assert any(block in text for text in texts_of(body, size=110, overlap=16))


def test_a_block_above_the_limit_is_cut_at_its_lines() -> None:
    rows = [f"| row {n} | value {n} |" for n in range(60)]
    texts = texts_of("\n".join(rows), size=64, overlap=0)
    assert len(texts) > 5
    assert [row for text in texts for row in text.split("\n")] == rows


def test_pages_are_counted_from_one() -> None:
    chunks = chunk_body("# A\n\none\n\n# B\n\ntwo", tokenizer=load_tokenizer(), page_starts=[0, 9])
    assert [c.page for c in chunks] == [1, 2]


def test_splits_of_a_section_overlap_from_a_sentence_on() -> None:
    body = "".join(f"Sentence {n} says so. " for n in range(200))
    chunks = chunks_of(body, size=128, overlap=32)
    shared = [body[b.start : a.end].strip() for a, b in itertools.pairwise(chunks)]
    assert all(text.startswith("Sentence ") and text.endswith("so.") for text in shared)


def test_sections_do_not_overlap() -> None:
    chunks = chunks_of("".join(f"# {n}\n\n{PROSE}\n\n" for n in range(4)))
    assert all(a.end <= b.start for a, b in itertools.pairwise(chunks))


@pytest.mark.parametrize(("size", "overlap"), [(100, 51), (200, 200), (200, 300), (0, 0), (-1, 0), (64, -1)])
def test_a_size_that_cannot_work_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ChunkSizeRefused) as raised:
        chunks_of("x", size=size, overlap=overlap)
    assert raised.value.status == 400


@pytest.mark.parametrize("ends", ["." * 300_000, "!?" * 150_000, ".｡" * 150_000])
def test_runs_of_ends_of_sentences_take_no_longer_than_other_text(ends: str) -> None:
    # Looked at from each of its characters, a run would take minutes.
    chunks = chunk_body(ends, tokenizer=load_tokenizer())
    assert (chunks[0].start, chunks[-1].end) == (0, len(ends))
