"""What stands above a passage: embedded and counted with it, part of its content, and never of its text."""

from uuid import UUID

import pytest

from chalicelib.database.ids import new_id
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.bm25 import HEADING_REPEATS, term_number
from chalicelib.index.model import Passage, Source
from chalicelib.index.passages import passages_of
from chalicelib.index.tokens import load_tokenizer
from chalicelib.items.model import ItemId

WORKSPACE = WorkspaceId(UUID(int=1))
BODY = "# Carry over\n\nFive days."


def passages(body: str = BODY, *, summary: str = "", metadata: tuple[str, ...] = ()) -> list[Passage]:
    source = Source(item_id=ItemId(new_id()), title="Leave", body=body, page_starts=(), language="en", revision=1)
    return passages_of(
        WORKSPACE,
        source,
        language="en",
        tokenizer=load_tokenizer(),
        chunk_tokens=64,
        overlap_tokens=8,
        metadata=metadata,
        summary=summary,
    )


def count_of(passage: Passage, term: str) -> int:
    return passage.counted.counts.get(term_number(WORKSPACE, term), 0)


def test_a_summary_stands_above_the_text_and_is_counted_like_a_heading() -> None:
    (plain,), (told,) = passages(), passages(summary="How holidays\nare kept.", metadata=("HR", "policy"))
    assert plain.embedded == f"Leave > Carry over\n\n{BODY}"
    assert told.embedded == f"Leave > Carry over\nHR, policy\nHow holidays are kept.\n\n{BODY}"
    assert told.text == plain.text == BODY
    assert [count_of(told, term) - count_of(plain, term) for term in ("holiday", "hr", "polici")] == [
        HEADING_REPEATS
    ] * 3


@pytest.mark.parametrize(("summary", "metadata"), [("Other.", ()), ("", ("other",))])
def test_a_change_of_what_stands_above_makes_another_passage(summary: str, metadata: tuple[str, ...]) -> None:
    (before,), (after,) = passages(), passages(summary=summary, metadata=metadata)
    assert before.content_sha256 != after.content_sha256
    assert before.embedded_sha256 != after.embedded_sha256
    assert [one.content_sha256 for one in passages()] == [before.content_sha256]


def test_what_stands_above_is_cut_before_it_is_embedded_and_counted() -> None:
    endless = " ".join(f"word{number}" for number in range(5000))
    (passage,) = passages(summary=endless, metadata=(endless,))
    assert passage.embedded.endswith(BODY)
    assert len(load_tokenizer().encode(passage.embedded, add_special_tokens=False).ids) < 64 + 64 + 128 + 64
    assert passage.counted.length < 400
