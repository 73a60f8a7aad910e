"""Reads the words of a heading or a title out of its markup."""

import html
import re

LONGEST_TITLE = 200
"""Characters of a heading that are shown and indexed with each chunk below it."""

_LONGEST_DOCUMENT_TITLE = 500

# Marks are looked for this far, and within so many characters of each other: a heading of nothing but marks is read
# in linear time.
_WITHIN = 600
_MARKS = re.compile(r"[\[<*_~`{\\&]")
_CODE = re.compile(r"(`{1,9})(?!`)(.{1,200}?)(?<!`)\1(?!`)")
_ATTRIBUTES = re.compile(r" ?\{:? ?[#.][^{}]*\}$")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?:\s+[^()]*)?\)|\[[^\[\]]*\])")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*|[^<>\s@]{1,64}@[^<>\s@]{1,255})>")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:[\s/][^<>]*)?>|<!--.{0,200}?-->")
_EMPHASIS = re.compile(r"(?<!\\)(\*{1,3}|~~|__)(?=\S)(.{1,120}?)(?<=\S)\1")
_UNDERSCORES = re.compile(r"(?<!\w)_(?=\S)([^_]{0,60}\s[^_]{0,60}?)(?<=\S)_(?!\w)")
_PAIRED_TAGS = re.compile(
    r"<(abbr|a|big|b|cite|code|del|em|font|ins|i|kbd|mark|q|small|span|strong|sub|sup|s|tt|u|var)(?:\s[^<>]*)?>"
    r"([^<>]{0,500})</\1\s*>",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
_NESTED = 4
_IDENTIFIER = re.compile(r"\w+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def heading_title(source: str, *, longest: int = LONGEST_TITLE) -> str:
    """Return what a reader sees of a heading, on one line and cut to `longest` characters, _WITHIN at most."""
    text = " ".join(source[: 4 * _WITHIN].split())[:_WITHIN]
    if not _MARKS.search(text):
        return _cut(text, longest)
    text = _ATTRIBUTES.sub("", text)
    title, end = "", 0
    for code in _CODE.finditer(text):
        title += _plain(text[end : code.start()]) + code[2].strip()
        end = code.end()
    return _cut(" ".join((title + _plain(text[end:])).split()), longest)


def document_title(source: str) -> str:
    """Return what a reader sees of the heading or title that names a Markdown document; "" where that is nothing."""
    return heading_title(source, longest=_LONGEST_DOCUMENT_TITLE)


def without_tags(title: str) -> str:
    """Return a title that is text already without tags of HTML around words, and with what `&amp;` stands for.

    A tag that is not closed is what the title is about: `<em>: the element`.
    """
    for _ in range(_NESTED):
        title, count = _PAIRED_TAGS.subn(r"\2", title)
        if not count:
            break
    return _REFERENCE.sub(lambda match: html.unescape(match[0]), title)


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def _plain(text: str) -> str:
    for pattern in (_WIKI_LINK, _IMAGE_OR_LINK, _AUTOLINK):
        text = pattern.sub(r"\1", text)
    text = _EMPHASIS.sub(_without_marks, _TAG.sub("", text))
    return html.unescape(_ESCAPE.sub(r"\1", _UNDERSCORES.sub(r"\1", text)))


def _without_marks(match: re.Match[str]) -> str:
    """Take emphasis away, but leave `__init__` a name."""
    is_name = match[1] == "__" and _IDENTIFIER.fullmatch(match[2])
    return match[0] if is_name else match[2]
