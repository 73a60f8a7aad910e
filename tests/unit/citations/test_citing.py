"""What is cited is there for who cites it, word for word, and is found again by consumer and by item."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.citations.create_answer import create_answer
from chalicelib.citations.errors import AnswerNotFound, InvalidCitation
from chalicelib.citations.model import CitationFilters, CitedPassage, Consumer
from chalicelib.citations.read_citations import list_citations, read_answer
from chalicelib.database.ids import new_id
from chalicelib.identity.model import KeyScope
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import ItemNotFound, RevisionNotFound
from chalicelib.items.model import ItemId
from tests.fixtures.citing import RUN, answered, cited, listed
from tests.fixtures.crowd import RESTRICTED, Crowd


def test_a_hit_is_cited_as_it_is_and_found_again_by_consumer_and_by_item(crowd: Crowd) -> None:
    item = crowd.add("a.md", "# Plan\n\nthe plan of the year")
    (hit,) = crowd.search(crowd.viewer).hits
    quote = hit.snippet.text
    passage = CitedPassage(
        item_id=hit.item_id, revision=hit.revision, chunk_id=hit.chunk_id, span=hit.span, quote=quote
    )
    answer = answered(crowd, passage, who=crowd.viewer)
    (citation,) = answer.citations
    assert (citation.chunk_id, citation.span, citation.quote) == (hit.chunk_id, hit.span, quote)
    assert (citation.path, citation.is_current, citation.title) == ("a.md", True, "What the plan says")
    by_chunk = answered(
        crowd, replace(passage, span=None, quote=None), who=crowd.viewer, consumer=Consumer("page", "2")
    )
    assert by_chunk.citations[0].span == hit.span
    assert listed(crowd, crowd.viewer, consumer=RUN) == ([citation], 1)
    of_item, total = listed(crowd, crowd.viewer, item_id=item.id)
    assert ([each.consumer.kind for each in of_item], total) == (["page", "agent_run"], 2)


def test_the_text_is_kept_word_for_word_with_length_and_hash(crowd: Crowd) -> None:
    text = "  Grüße,\tCafe\u0301 \u202e\x1b[31m\r\n "
    answer = answered(crowd, cited(crowd.add("a.md")), text=text)
    assert (answer.text, answer.is_withheld) == (text, False)
    assert (answer.text_characters, answer.text_sha256) == (len(text), hashlib.sha256(text.encode()).digest())
    silent = answered(crowd, cited(crowd.add("b.md")), text=None, title=None)
    assert (silent.text, silent.text_characters, silent.text_sha256, silent.is_withheld) == (None, None, None, False)


def test_an_earlier_revision_is_cited_for_what_it_said(crowd: Crowd) -> None:
    item = crowd.add("a.md", "the plan")
    crowd.change(item, body="no more")
    answer = answered(crowd, cited(item, quote="the plan"))
    assert [each.is_current for each in answer.citations] == [False]
    with pytest.raises(InvalidCitation):
        answered(crowd, cited(item, revision=2, quote="the plan", span=(0, 7)))


def test_a_span_stands_where_search_has_moved_on(crowd: Crowd) -> None:
    item = crowd.add("a.md", "the plan")
    (hit,) = crowd.search(crowd.owner).hits
    crowd.change(item, body="no more")
    assert answered(crowd, cited(item, chunk_id=hit.chunk_id)).citations[0].chunk_id is None
    with pytest.raises(InvalidCitation):
        answered(crowd, cited(item, chunk_id=hit.chunk_id, span=None))


@pytest.mark.parametrize(
    "passage",
    [
        {"span": None},
        {"span": (-1, 3)},
        {"span": (3, 3)},
        {"span": (5, 2)},
        {"span": (0, 9)},
        {"span": (0, 2**31)},
        {"span": (10**6, 10**6 + 1)},
        {"revision": 0},
        {"revision": -1},
        {"revision": 2**31},
        {"quote": ""},
        {"quote": "another plan"},
        {"quote": "The plan"},
        {"quote": "the plan "},
        {"quote": "plan", "span": (0, 3)},
        {"quote": "pl\x00an"},
        {"quote": "\ud800"},
        {"quote": "x" * 20_001},
        {"chunk_id": new_id(), "span": None},
    ],
)
def test_no_passage_is_cited_that_is_not_there(crowd: Crowd, passage: dict[str, Any]) -> None:
    item = crowd.add("a.md", "the plan")
    with pytest.raises(InvalidCitation):
        answered(crowd, cited(item), cited(item, **passage))
    assert listed(crowd, crowd.owner, item_id=item.id) == ([], 0)


@pytest.mark.parametrize(
    "said",
    [
        {"consumer": Consumer("", "1")},
        {"consumer": Consumer("Answer", "1")},
        {"consumer": Consumer("a\n", "1")},
        {"consumer": Consumer("a" * 64, "1")},
        {"consumer": Consumer("page", "")},
        {"consumer": Consumer("page", "a\x00")},
        {"consumer": Consumer("page", "a\u2028b")},
        {"consumer": Consumer("page", "\ud800")},
        {"consumer": Consumer("page", "x" * 201)},
        {"title": "x" * 501},
        {"text": "a\x00b"},
        {"text": "\udfff"},
        {"text": "x" * 100_001},
    ],
)
def test_what_cannot_be_kept_is_refused(crowd: Crowd, said: dict[str, Any]) -> None:
    with pytest.raises(InvalidCitation):
        answered(crowd, cited(crowd.add("a.md")), **said)


def test_lists_may_be_neither_empty_nor_huge_and_duplicates_count_once(crowd: Crowd) -> None:
    item = crowd.add("a.md", "x" * 300)
    for passages in ([], [cited(item, span=(0, end + 1)) for end in range(201)]):
        with pytest.raises(InvalidCitation):
            answered(crowd, *passages)
    assert len(answered(crowd, *[cited(item)] * 200).citations) == 1
    assert len(answered(crowd, *[cited(item, span=(0, end + 1)) for end in range(200)]).citations) == 200


def test_what_one_may_not_read_is_what_is_not_there(crowd: Crowd) -> None:
    hidden, item = crowd.add("hidden.md"), crowd.add("a.md")
    crowd.say(hidden, RESTRICTED)
    beta = crowd.lorebase.found("Beta")
    absent = ItemId(new_id())
    for passage in (cited(hidden), cited(absent), cited(hidden, revision=9), cited(hidden, quote="wrong")):
        with pytest.raises(ItemNotFound) as refusal:
            answered(crowd, cited(item), passage, who=crowd.viewer)
        assert refusal.value.members == {"items": [str(passage.item_id)]}
    with pytest.raises(RevisionNotFound):
        answered(crowd, cited(item, revision=9))
    with crowd.lorebase.database.transaction() as tx, pytest.raises(ItemNotFound):
        create_answer(
            tx,
            principal=beta.owner,
            workspace_id=beta.workspace.id,
            consumer=RUN,
            title=None,
            text=None,
            passages=[cited(item)],
            now=crowd.lorebase.clock.now(),
            quotas=crowd.lorebase.wired.item_rules.quotas,
        )
    answer = answered(crowd, cited(item))
    with crowd.lorebase.database.transaction() as tx, pytest.raises(AnswerNotFound):
        read_answer(tx, principal=beta.owner, workspace_id=beta.workspace.id, answer_id=answer.id, with_trash=True)


def test_a_credential_that_may_only_read_keeps_nothing(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    reading = replace(crowd.now(crowd.viewer), scopes=frozenset({KeyScope.READ}))
    with pytest.raises(ActionForbidden):
        answered(crowd, cited(item), who=reading)


def test_pages_go_on_behind_the_last_citation(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    for number in range(5):
        answered(crowd, cited(item), consumer=Consumer("page", str(number)))
    seen: list[str] = []
    before = None
    while True:
        page, total = crowd.do(
            list_citations, crowd.viewer, filters=CitationFilters(item_id=item.id), before=before, limit=2
        )
        if not page:
            break
        seen += [each.consumer.id for each in page]
        before = page[-1].id
    assert (seen, total) == (["4", "3", "2", "1", "0"], 5)
