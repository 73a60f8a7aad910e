"""Rows of a long table are chunks of whole rows, each with the caption and header above them."""

import itertools

import pytest

from chalicelib.index.chunking import Chunk, chunk_body
from chalicelib.index.tokens import load_tokenizer

ROWS = [f"| leave {n} | {n} days | by office {n} |" for n in range(40)]
NAMES = "| Kind | Days | Granted |"
HEADER = f"{NAMES.replace(' |', '   |')}\n| :--- | ---: | --- |"


def chunks_of(body: str, *, size: int = 96) -> list[Chunk]:
    return chunk_body(body, tokenizer=load_tokenizer(), chunk_tokens=size, overlap_tokens=16)


def rows_of(body: str, chunks: list[Chunk]) -> list[str]:
    return [line for chunk in chunks for line in body[chunk.start : chunk.end].split("\n") if "leave" in line]


@pytest.mark.parametrize(
    ("prefix", "caption"), [("", ""), ("", "Table 3: Leave"), ("    ", ""), ("> ", ""), ("  - x\n    ", "")]
)
def test_each_group_of_rows_has_the_header_and_shows_only_its_rows(prefix: str, caption: str) -> None:
    lines = [*HEADER.split("\n"), *ROWS]
    indent = prefix.rpartition("\n")[2]
    body = f"# Leave\n\n{caption}\n\n{prefix}{lines[0]}\n" + "\n".join(indent + line for line in lines[1:])
    chunks = chunks_of(body)
    continued = [chunk for chunk in chunks if lines[0] not in body[chunk.start : chunk.end]]
    assert len(continued) >= 4
    assert {chunk.opening for chunk in continued if "leave" in body[chunk.start : chunk.end]} == {
        f"{caption}\n{NAMES}".strip()
    }
    assert [row.strip("> ") for row in rows_of(body, chunks)] == ROWS
    assert {chunk.heading_path for chunk in chunks} == {("Leave",)}
    assert all(a.end <= b.start for a, b in itertools.pairwise(chunks))


def test_a_table_without_outer_pipes_ends_at_a_blank_line() -> None:
    rows = [f"leave {n} | {n} of \\| days" for n in range(40)]
    body = "Kind | Days\n--- | ---\n" + "\n".join(rows) + "\n\n" + "More is said here. " * 30
    chunks = chunks_of(body)
    assert rows_of(body, chunks) == rows
    assert {c.opening for c in chunks if c.start > 60 and "leave" in body[c.start : c.end]} == {"Kind | Days"}
    assert chunks[-1].opening == ""


def test_a_line_of_hyphens_below_text_with_another_number_of_columns_is_no_header() -> None:
    body = "a | b | c\n--- | ---\n" + "word " * 300
    assert {chunk.opening for chunk in chunks_of(body)} == {""}


def test_html_tables_repeat_caption_and_header() -> None:
    rows = [f"<tr><td>leave {n}</td>\n<td>{n}</td></tr>" for n in range(40)]
    head = (
        "<table>\n<caption>All <b>leave</b></caption>\n<thead><tr><th>Kind</th><th>Days &amp; hours</th></tr></thead>\n"
    )
    body = f"# H\n\n{head}" + "\n\n".join(rows) + "\n</table>\n\nAfter."
    chunks = chunks_of(body)
    assert {chunk.opening for chunk in chunks[1:-1]} == {"All leave\n| Kind | Days & hours |"}
    assert all(body[chunk.start :].startswith("<tr>") for chunk in chunks[1:])


def test_a_wide_row_is_cut_between_cells() -> None:
    cells = [f"cell {n} of words" for n in range(80)]
    body = f"{HEADER}\n| " + " | ".join(cells) + " |"
    texts = [body[chunk.start : chunk.end] for chunk in chunks_of(body)]
    assert [cell for text in texts for cell in text.replace(HEADER, "").strip(" |\n").split(" | ")] == cells


def test_a_wide_header_takes_no_more_than_a_quarter() -> None:
    header = "| " + " | ".join(f"column number {n}" for n in range(100)) + " |\n" + "| --- " * 100 + "|"
    body = header + "\n" + "\n".join("| value " * 100 + "|" for _ in range(5))
    tokenizer = load_tokenizer()
    below = [chunk for chunk in chunks_of(body) if chunk.start > len(header)]
    assert len(below) > 5
    for chunk in below:
        opening = len(tokenizer.encode(chunk.opening, add_special_tokens=False).ids)
        assert 0 < opening <= 24
        assert chunk.tokens + opening <= 96


def test_tables_in_code_are_code() -> None:
    body = f"```text\n{HEADER}\n" + "\n".join(ROWS) + "\n```"
    assert {chunk.opening for chunk in chunks_of(body)} == {"", "```text"}
