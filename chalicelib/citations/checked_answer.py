"""Checks what is said of an answer, before it is known whether what it cites is there."""

import re
import unicodedata
from collections.abc import Sequence

from chalicelib.citations.errors import InvalidCitation
from chalicelib.citations.model import (
    CONSUMER_CHARACTERS,
    GREATEST,
    MOST_CITATIONS,
    QUOTE_CHARACTERS,
    TEXT_CHARACTERS,
    TITLE_CHARACTERS,
    CitedPassage,
    Consumer,
)
from chalicelib.items.hygiene import clean_line

_KIND = re.compile(r"[a-z][a-z0-9_]{0,62}")
_UNSHOWN = {"Cc", "Cs", "Zl", "Zp"}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def checked_consumer(consumer: Consumer) -> Consumer:
    """Return the consumer. Raises InvalidCitation."""
    if not _KIND.fullmatch(consumer.kind):
        raise InvalidCitation(
            "A kind of consumer has 1 to 63 of a-z, 0-9 and _, and begins with a letter.", field="consumer_kind"
        )
    if not 1 <= len(consumer.id) <= CONSUMER_CHARACTERS or any(
        unicodedata.category(character) in _UNSHOWN for character in consumer.id
    ):
        raise InvalidCitation(
            f"The id of a consumer has 1 to {CONSUMER_CHARACTERS} characters, none of them a control character.",
            field="consumer_id",
        )
    return consumer


def checked_title(title: str | None) -> str | None:
    """Return the title on one line, None for an empty one. Raises InvalidCitation."""
    checked = clean_line(title or "")
    if len(checked) > TITLE_CHARACTERS:
        raise InvalidCitation(f"A title has at most {TITLE_CHARACTERS} characters.", field="title")
    return checked or None


def checked_text(text: str | None) -> str | None:
    """Return the text word for word, None for an empty one. Raises InvalidCitation."""
    if text and len(text) > TEXT_CHARACTERS:
        raise InvalidCitation(
            f"The text of an answer has at most {TEXT_CHARACTERS} characters and this one has {len(text)}; "
            "leave it out, and keep it where it is.",
            field="text",
        )
    if text and _UNSTORABLE.search(text):
        raise InvalidCitation("The text holds NUL or half a surrogate pair, which cannot be kept.", field="text")
    return text or None


def checked_passages(passages: Sequence[CitedPassage]) -> Sequence[CitedPassage]:
    """Return each passage once. Raises InvalidCitation."""
    if not 1 <= len(passages) <= MOST_CITATIONS:
        raise InvalidCitation(f"An answer cites 1 to {MOST_CITATIONS} passages.", limit=MOST_CITATIONS)
    for number, passage in enumerate(passages):
        fault = _fault_of(passage)
        if fault:
            raise InvalidCitation(fault, citation=number)
    return list(dict.fromkeys(passages))


def _fault_of(passage: CitedPassage) -> str | None:
    if passage.chunk_id is None and passage.span is None:
        return "A citation names a span, or a chunk that is in search, or both."
    start, end = passage.span or (0, 1)
    if not 0 <= start < end <= GREATEST:
        return "A span begins at 0 or later, and ends behind where it begins."
    if not 1 <= passage.revision <= GREATEST:
        return "Revisions count from 1."
    if passage.quote is None:
        return None
    if not 1 <= len(passage.quote) <= QUOTE_CHARACTERS:
        return f"A quote has 1 to {QUOTE_CHARACTERS} characters; leave it out where the span says it all."
    return "The quote is not in the revision, word for word." if _UNSTORABLE.search(passage.quote) else None
