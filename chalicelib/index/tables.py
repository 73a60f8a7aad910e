"""Finds tables, in Markdown and HTML, and what stands above their rows: caption and header."""

import html
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from chalicelib.index.blocks import Block, Strength, lead_of
from chalicelib.index.lines import Line

_DELIMITER = re.compile(r"[ \t>]*(?=[^|]*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_PREFIX = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?")
_BORDER = re.compile(r"(?<!\\)(?:\\\\)*\|")
_ENDS_TABLE = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|>|(?:[-+*]|\d{1,9}[.)])[ \t]|</?[A-Za-z])")
_PIPE = re.compile(r"[ \t>]*\|")
_CAPTION = re.compile(r"\W*(?:tab(?:le|elle|leau|la|ela|ella|el)?|tbl)\b\.?", re.IGNORECASE)
_WIDE_ROW = 400
_LONGEST_OPENING = 2000
_TAG = re.compile(r"<(/?)(table|tr|t[hd]|thead|caption)\b[^<>]{0,2000}>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]*>")


def find_tables(body: str, lines: Sequence[Line]) -> list[Block]:
    """Return the tables outside code, in order."""
    found = [*_markdown_tables(lines), *_html_tables(body, lines)]
    tables: list[Block] = []
    for table in sorted(found, key=lambda block: block.start):
        if not tables or table.start >= tables[-1].end:
            tables.append(table)
    return tables


def _markdown_tables(lines: Sequence[Line]) -> Iterator[Block]:
    """Read tables as GFM has them; rows between pipes are one without a header too."""
    at = 0
    while at < len(lines):
        text = lines[at].text
        if lines[at].verbatim or "|" not in text:
            at += 1
            continue
        headed = _is_header(lines, at)
        if not headed and not _PIPE.match(text):
            at += 1
            continue
        end = at + 2 if headed else at + 1
        while end < len(lines) and _is_row(lines[end], quoted=">" in text[:8], piped=not headed):
            end += 1
        yield _markdown_table(lines, at, end, headed=headed)
        at = end


def _is_header(lines: Sequence[Line], at: int) -> bool:
    if at + 1 >= len(lines) or lines[at + 1].verbatim or not _DELIMITER.match(lines[at + 1].text):
        return False
    return _columns(lines[at].text) == _columns(lines[at + 1].text)


def _columns(text: str) -> int:
    row = text[_prefix(text) :].strip()
    return len(_BORDER.findall(row)) + 1 - row.startswith("|") - (row.endswith("|") and not row.endswith("\\|"))


def _prefix(text: str) -> int:
    match = _PREFIX.match(text)
    return match.end() if match else 0


def _is_row(line: Line, *, quoted: bool, piped: bool) -> bool:
    text = line.text.lstrip(" \t>") if quoted else line.text
    if line.verbatim or not text.strip():
        return False
    return bool(_PIPE.match(text)) or not (piped or _ENDS_TABLE.match(text))


def _markdown_table(lines: Sequence[Line], first: int, last: int, *, headed: bool) -> Block:
    rows = lines[first + 2 : last] if headed else lines[first:last]
    places = [(row.start, Strength.ROW) for row in rows]
    for row in rows:
        if len(row.text) > _WIDE_ROW:
            places += [(row.start + border.end(), Strength.CLAUSE) for border in _BORDER.finditer(row.text)]
    block = Block(lead_of(lines, first), lines[first].start, lines[last - 1].end, places)
    if headed and rows:
        header = " ".join(lines[first].text[_prefix(lines[first].text) :].split())
        block.opened, block.opening = rows[0].start, _opening(_caption(lines, first), header)
    return block


def _caption(lines: Sequence[Line], first: int) -> str:
    above = first - 1 if first and lines[first - 1].text.strip() else first - 2
    if above < 0 or lines[above].verbatim:
        return ""
    text = lines[above].text.strip()
    return text if len(text) <= 200 and (text.endswith(":") or _CAPTION.match(text)) else ""


def _opening(caption: str, header: str) -> str:
    return "\n".join(part for part in (caption, header) if part)[:_LONGEST_OPENING]


def _html_tables(body: str, lines: Sequence[Line]) -> Iterator[Block]:
    """Read tables in HTML; one within another belongs to its cell."""
    code = [(line.start, line.end) for line in lines if line.verbatim and "<" in line.text]
    tags: list[re.Match[str]] = []
    depth = passed = 0
    for tag in _TAG.finditer(body):
        while passed < len(code) and code[passed][1] <= tag.start():
            passed += 1
        if passed < len(code) and code[passed][0] <= tag.start():
            continue
        is_table, closes = tag[2].lower() == "table", bool(tag[1])
        if is_table and not closes:
            depth += 1
        if depth == 1:
            tags.append(tag)
        if is_table and closes and depth:
            depth -= 1
            if not depth:
                yield _html_table(body, tags)
                tags = []


def _html_table(body: str, tags: Sequence[re.Match[str]]) -> Block:
    block = Block(tags[0].start(), tags[0].start(), tags[-1].end(), [])
    caption = ""
    header: list[str] = []
    cells: list[str] = []
    in_header = True
    for tag, following in pairwise(tags):
        name = tag[1] + tag[2].lower()
        if name in {"tr", "/tr", "/thead"} and in_header and cells:
            header.append(f"| {' | '.join(cells)} |")
            block.opened = tag.start() if name == "tr" else tag.end()
            cells = []
        if name in {"caption", "th"}:
            text = " ".join(html.unescape(_ANY_TAG.sub(" ", body[tag.end() : following.start()])).split())
            caption, cells = (text, cells) if name == "caption" else (caption, [*cells, text])
        elif name == "td":
            in_header = False
            block.places.append((tag.start(), Strength.CLAUSE))
        elif name == "tr":
            block.places.append((tag.start(), Strength.ROW))
    block.opening = _opening(caption, "\n".join(header)) if header else ""
    return block
