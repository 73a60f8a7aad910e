"""Reads the words of a heading out of its markup."""

import html
import re

LONGEST_TITLE = 200
"""Characters of a heading that are shown and indexed with each chunk below it."""

# Marks are looked for this far, and within so many characters of each other: a heading of nothing but marks is read
# in linear time.
_WITHIN = 600
_MARKS = re.compile(r"[\[<*_~`{\\&]")
_CODE = re.compile(r"(`{1,9})(?!`)(.{1,200}?)(?<!`)\1(?!`)")
_ATTRIBUTES = re.compile(r" ?\{:? ?[#.][^{}]*\}$")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?:\s+[^()]*)?\)|\[[^\[\]]*\])")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.{0,200}?-->")
_EMPHASIS = re.compile(r"(?<!\\)(\*{1,3}|~~|__)(?=\S)(.{1,120}?)(?<=\S)\1")
_UNDERSCORES = re.compile(r"(?<!\w)_(?=\S)([^_]{0,60}\s[^_]{0,60}?)(?<=\S)_(?!\w)")
_IDENTIFIER = re.compile(r"\w+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def heading_title(source: str) -> str:
    """Return what a reader sees of a heading, on one line and cut to LONGEST_TITLE characters."""
    text = " ".join(source[: 4 * _WITHIN].split())[:_WITHIN]
    if not _MARKS.search(text):
        return _cut(text)
    text = _ATTRIBUTES.sub("", text)
    title, end = "", 0
    for code in _CODE.finditer(text):
        title += _plain(text[end : code.start()]) + code[2].strip()
        end = code.end()
    return _cut(" ".join((title + _plain(text[end:])).split()))


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST_TITLE else words[: LONGEST_TITLE - 1].rstrip() + "…"


def _plain(text: str) -> str:
    for pattern in (_WIKI_LINK, _IMAGE_OR_LINK):
        text = pattern.sub(r"\1", text)
    text = _EMPHASIS.sub(_without_marks, _TAG.sub("", text))
    return html.unescape(_ESCAPE.sub(r"\1", _UNDERSCORES.sub(r"\1", text)))


def _without_marks(match: re.Match[str]) -> str:
    """Take emphasis away, but leave `__init__` a name."""
    is_name = match[1] == "__" and _IDENTIFIER.fullmatch(match[2])
    return match[0] if is_name else match[2]
