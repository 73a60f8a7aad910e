"""Finds the sections of a body: its headings in Markdown and HTML, with code and front matter left alone."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from chalicelib.index.lines import Line, lines_of
from chalicelib.intake.extract.heading_title import heading_title

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+$")
_HTML = re.compile(
    r" {0,3}<h([1-6])(?:\s[^<>]{0,1000})?>((?:(?!</?h[1-6]|\n[ \t]*\n).){0,2000})</h\1\s*>", re.IGNORECASE | re.DOTALL
)
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[>|<]|[-+*](?:\s|$)|\d{1,9}[.)]\s|(?:[-*_][ \t]*){3,}$)")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, the heading included; `text_start` is where headings end and text begins."""

    start: int
    text_start: int
    end: int
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    end: int
    level: int
    title: str


def find_sections(body: str) -> list[Section]:
    """Return sections that together cover `body`. A heading without text joins what is below it, or else before it."""
    headings = _find_headings(body)
    sections: list[Section] = []
    open_headings: list[_Heading] = []
    start, end = 0, headings[0].start if headings else len(body)
    if body[:end].strip():
        sections.append(Section(0, 0, end, ()))
        start = end
    for heading, following in pairwise([*headings, None]):
        if heading is None:
            break
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        end = following.start if following else len(body)
        bare = not body[heading.end : end].strip()
        if bare and following and (following.level > heading.level or not sections):
            continue
        if bare and sections:
            sections[-1] = replace(sections[-1], end=end)
        else:
            path = tuple(h.title for h in open_headings if h.title)
            sections.append(Section(start, heading.end, end, path))
        start = end
    return sections


def _find_headings(body: str) -> list[_Heading]:
    headings: list[_Heading] = []
    paragraph: int | None = None
    end = 0
    for line in lines_of(body):
        if line.start < end:
            continue
        if line.verbatim:
            paragraph = None
        elif heading := _heading_of(body, line, paragraph):
            headings.append(heading)
            paragraph, end = None, heading.end
        elif not line.text.strip():
            paragraph = None
        elif paragraph is None:
            paragraph = -1 if _NO_PARAGRAPH.match(line.text) else line.start
    return headings


def _heading_of(body: str, line: Line, paragraph: int | None) -> _Heading | None:
    start, end, text, _ = line
    if "#" in text[:4] and (atx := _ATX.match(text)):
        return _Heading(start, end, len(atx[1]), heading_title(_ATX_CLOSE.sub("", text[atx.end() :].strip())))
    if "<" in text[:4] and (html := _HTML.match(body, start)):
        return _Heading(start, html.end(), int(html[1]), heading_title(html[2]))
    if paragraph is not None and paragraph >= 0 and (underline := _UNDERLINE.match(text)):
        return _Heading(paragraph, end, 1 if underline[1][0] == "=" else 2, heading_title(body[paragraph:start]))
    return None
