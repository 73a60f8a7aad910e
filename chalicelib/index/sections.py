"""Finds the sections of a body: its headings in Markdown and HTML, with code and front matter left alone."""

import re
from dataclasses import dataclass
from itertools import pairwise

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+$")
_HTML = re.compile(r" {0,3}<h([1-6])(?:\s[^>]*)?>(.*?)</h\1\s*>", re.IGNORECASE)
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[>|<]|[-+*](?:\s|$)|\d{1,9}[.)]\s|(?:[-*_][ \t]*){3,}$)")
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, the heading included."""

    start: int
    end: int
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    end: int
    level: int
    title: str


def find_sections(body: str) -> list[Section]:
    """Return sections that together cover `body`; a heading without text of its own joins what is below it."""
    headings = _find_headings(body)
    first = headings[0].start if headings else len(body)
    sections = [Section(0, first, ())] if first else []
    open_headings: list[_Heading] = []
    start = first
    for heading, following in pairwise([*headings, None]):
        if heading is None:
            break
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        end = following.start if following else len(body)
        bare = not body[heading.end : end].strip()
        if bare and following and following.level > heading.level:
            continue
        sections.append(Section(start, end, tuple(h.title for h in open_headings if h.title)))
        start = end
    return sections


def _find_headings(body: str) -> list[_Heading]:
    headings: list[_Heading] = []
    fence = ""
    paragraph: int | None = None
    for match in _LINE.finditer(body, _front_matter_end(body)):
        line = match.group().rstrip("\r\n")
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence) and not line[opened.end() :].strip():
                fence = ""
            continue
        if opened:
            fence, paragraph = opened[1], None
        elif heading := _heading_of(body, line, match.start(), match.end(), paragraph):
            headings.append(heading)
            paragraph = None
        elif not line.strip():
            paragraph = None
        elif paragraph is None:
            paragraph = -1 if _NO_PARAGRAPH.match(line) else match.start()
    return headings


def _heading_of(body: str, line: str, start: int, end: int, paragraph: int | None) -> _Heading | None:
    if atx := _ATX.match(line):
        return _Heading(start, end, len(atx[1]), _ATX_CLOSE.sub("", line[atx.end() :].strip()).strip())
    if html := _HTML.match(line):
        return _Heading(start, start + html.end(), int(html[1]), " ".join(_TAG.sub("", html[2]).split()))
    if paragraph is not None and paragraph >= 0 and (underline := _UNDERLINE.match(line)):
        return _Heading(paragraph, end, 1 if underline[1][0] == "=" else 2, " ".join(body[paragraph:start].split()))
    return None


def _front_matter_end(body: str) -> int:
    match = re.match(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)", body)
    closing = re.compile(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
    end = closing.search(body, match.end()) if match else None
    return end.end() if end else 0
