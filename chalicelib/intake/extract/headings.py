"""Finds the heading that names a Markdown text."""

import re

from chalicelib.intake.extract.heading_title import document_title

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX_H1 = re.compile(r" {0,3}#[ \t]")
_SETEXT_H1 = re.compile(r" {0,3}=+[ \t]*$")


def first_heading(text: str) -> str | None:
    """Return the words of the first level-1 heading outside fences, ATX or setext; one of no words is none."""
    fence, previous = "", ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif title := document_title(_level_one(line, previous)):
            return title
        previous = "" if fence else line
    return None


def _level_one(line: str, previous: str) -> str:
    """Return the source of the heading that a line is or underlines; "" where it is none."""
    if mark := _ATX_H1.match(line):
        return _without_closing(line[mark.end() :].strip())
    return previous if _SETEXT_H1.match(line) else ""


def _without_closing(text: str) -> str:
    """Return a heading's text without the `#`s that may close it, which a blank parts from the text."""
    bare = text.rstrip("#")
    return bare.rstrip() if bare != text and (not bare or bare[-1] in " \t") else text
