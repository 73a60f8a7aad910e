"""Finds the heading that names a Markdown text."""

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX_H1 = re.compile(r" {0,3}#[ \t]")
_SETEXT_H1 = re.compile(r" {0,3}=+[ \t]*$")


def first_heading(text: str) -> str | None:
    """Return the first level-1 heading outside fences, ATX or setext."""
    fence, previous = "", ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif (mark := _ATX_H1.match(line)) and (title := _without_closing(line[mark.end() :].strip())):
            return title
        elif previous.strip() and _SETEXT_H1.match(line):
            return previous.strip()
        previous = "" if fence else line
    return None


def _without_closing(text: str) -> str:
    """Return a heading's text without the `#`s that may close it, which a blank parts from the text."""
    bare = text.rstrip("#")
    return bare.rstrip() if bare != text and (not bare or bare[-1] in " \t") else text
