"""Code, lists and quotes that do not fit are cut where their own structure says."""

from chalicelib.index.chunking import chunk_body
from chalicelib.index.tokens import load_tokenizer


def texts_of(body: str, *, size: int = 64, overlap: int = 16) -> list[str]:
    chunks = chunk_body(body, tokenizer=load_tokenizer(), chunk_tokens=size, overlap_tokens=overlap)
    return [body[chunk.start : chunk.end] for chunk in chunks]


def test_long_code_is_cut_before_definitions_and_knows_its_language() -> None:
    code = "\n\n\n".join(f"@traced\ndef f{n}(a):\n    b = {n}\n\n    return {{\n        b\n    }}" for n in range(20))
    body = f"```python title=x\n{code}\n```"
    chunks = chunk_body(body, tokenizer=load_tokenizer(), chunk_tokens=96, overlap_tokens=16)
    assert len(chunks) >= 5
    assert all(body[chunk.start :].startswith("@traced") for chunk in chunks[1:])
    assert [chunk.opening for chunk in chunks] == ["", *["```python title=x"] * (len(chunks) - 1)]


def test_code_without_definitions_is_cut_at_blank_lines_else_at_lines() -> None:
    groups = ["\n".join(f"set option{n} to {m}" for m in range(3)) for n in range(20)]
    texts = texts_of("```\n" + "\n\n".join(groups) + "\n```")
    assert all(text.split("\n\n")[0].removeprefix("```\n") in groups for text in texts)
    lines = [f"set option{n} to value{n}" for n in range(60)]
    texts = texts_of("```\n" + "\n".join(lines) + "\n```")
    assert [line for text in texts for line in text.strip("`\n").split("\n")] == lines


def test_long_lists_are_cut_between_steps_that_keep_what_belongs_to_them() -> None:
    steps = [f"{n}. Step {n} is done. Then wait.\n\n   More of step {n}.\n\n   - inner {n}" for n in range(1, 30)]
    texts = texts_of("Do this:\n\n" + "\n\n".join(steps))
    assert len(texts) > 5
    assert [step for text in texts for step in steps if step in text] == steps


def test_an_item_that_does_not_fit_is_cut_between_nested_ones() -> None:
    nested = [f"  - nested item {n} says something. It goes on." for n in range(30)]
    texts = texts_of("- top\n" + "\n".join(nested) + "\n- last")
    assert len(texts) > 5
    assert all(text.lstrip("- ").startswith(("top", "nested", "last")) for text in texts)


def test_long_quotes_are_cut_between_their_paragraphs() -> None:
    parts = [f"> Part {n} is quoted. It has\n> two sentences." for n in range(20)]
    texts = texts_of("\n>\n".join(parts))
    assert all(text.lstrip("> ").startswith("Part") for text in texts)


def test_what_leads_up_to_a_list_stays_with_it() -> None:
    listed = "\n".join(f"- item number {n}" for n in range(6))
    body = "Some words are said here. " * 7 + f"\n\nThese are the kinds:\n\n{listed}"
    assert any(f"These are the kinds:\n\n{listed}" in text for text in texts_of(body))


def test_a_heading_never_stands_alone() -> None:
    body = "# Title\n\n" + "word " * 60 + "\n\n" + "other " * 60
    assert texts_of(body)[0].startswith("# Title\n\nword word")


def test_abbreviations_and_ordinals_end_no_sentence() -> None:
    body = "Nach § 5 Abs. 2 Nr. 3 und z. B. am 1. Januar gilt dies so. " * 20
    assert all(text.startswith("Nach") and text.endswith("so.") for text in texts_of(body, overlap=0))
