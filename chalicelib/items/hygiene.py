"""The one choke point that makes text safe to store, search and show; what it changed is counted."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

MAX_DEPTH = 64

_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
_LONE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85]")
_CONTROL = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x9f]")
# Embeddings, overrides and isolates steer display alone: they split words for search and can make
# a passage look other than it is. LRM, RLM, ALM, ZWJ and ZWNJ stay, because spelling depends on them.
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def clean_text(text: str) -> tuple[str, dict[str, int]]:
    """Return `text` in NFC with LF line ends, without NULs, lone surrogates, controls, bidi controls and BOMs.

    The counts name what was lost or changed (`nul`, `surrogate`, `control`, `bidi`, `byte_order_mark`,
    `composed`); line ends are not worth one. Cleaning what is clean changes nothing.
    """
    counts: Counter[str] = Counter()
    if _SUSPECT.search(text):
        text = _replace_suspects(text, counts)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
        counts["composed"] += 1
    return text, dict(counts)


def _replace_suspects(text: str, counts: Counter[str]) -> str:
    counts["nul"] = text.count("\x00")
    counts["byte_order_mark"] = text.count("\ufeff")
    text = text.replace("\x00", "").replace("\ufeff", "")
    text = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    text, counts["surrogate"] = _LONE.subn("\ufffd", text)
    text = _LINE_END.sub("\n", text)
    text, counts["control"] = _CONTROL.subn("", text)
    text, counts["bidi"] = _BIDI.subn("", text)
    # A removal can bring two line-end halves together only as "\n", and each rule has seen the whole
    # text, so what is left is clean.
    for name in [name for name, count in counts.items() if not count]:
        del counts[name]
    return text


def clean_json(value: object) -> tuple[object, dict[str, int]]:
    """Return a JSON value whose every string and key is clean, and the counts.

    NaN and infinities, which JSON and jsonb refuse, become null (`not_a_number`); what nests deeper
    than 64 levels becomes null as well (`too_deep`).
    """
    counts: Counter[str] = Counter()
    return _clean_value(value, counts, 0), dict(counts)


def _clean_value(value: object, counts: Counter[str], depth: int) -> object:
    if isinstance(value, str):
        text, changed = clean_text(value)
        counts.update(changed)
        return text
    if isinstance(value, float) and not math.isfinite(value):
        counts["not_a_number"] += 1
        return None
    if not isinstance(value, Mapping | Sequence):
        return value
    if depth >= MAX_DEPTH:
        counts["too_deep"] += 1
        return None
    if isinstance(value, Mapping):
        return {
            str(_clean_value(str(key), counts, depth)): _clean_value(part, counts, depth + 1)
            for key, part in value.items()
        }
    return [_clean_value(part, counts, depth + 1) for part in value]


def clean_line(text: str) -> str:
    """Return clean text on one line: every run of blanks is one, and none is at either end."""
    return " ".join(clean_text(text)[0].split())
