"""Text on its way to a terminal: what would steer the terminal or mislead the reader is made visible instead."""

import json
import re
from decimal import Decimal

# C0 and C1 controls (with them every escape sequence), lone surrogates, line separators, and the bidi
# controls that make a name read as another one.
_HARMFUL = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_IN_LINE = re.compile(f"[{_HARMFUL}]")
_IN_BODY = re.compile(f"(?![\t\n])[{_HARMFUL}]")
_BLANKS = re.compile(r" *[\t\r\n][ \t\r\n]*")


def harmless(text: str) -> str:
    """Return the text on one line, with every harmful character written as its escape."""
    return _IN_LINE.sub(_escape, _BLANKS.sub(" ", text))


def harmless_body(text: str) -> str:
    """Return the text with its lines and tabs, and every other harmful character written as its escape."""
    return _IN_BODY.sub(_escape, text.replace("\r\n", "\n"))


def as_json(document: object) -> str:
    """Return a JSON text that is safe to print: readable, but for harmful characters, which JSON can escape."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return _IN_BODY.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def count_of(count: int, thing: str) -> str:
    """Return a number of things for people, e.g. `1 item` and `2 items`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def size_of(count: int) -> str:
    """Return a number of bytes for people, e.g. `1.4 MB`."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def money_of(written: str) -> str:
    """Return an amount for people: to the hundredth, and of less than a tenth two figures, e.g. `0.23` and `0.0041`."""
    amount = Decimal(written)
    places = max(2, 1 - amount.adjusted()) if amount else 2
    return f"{amount:,.{places}f}"


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
