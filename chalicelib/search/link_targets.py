"""Finds the parts of a Markdown text that a reader does not read: where links and images point to, and raw URLs."""

import re

_TARGET = r"(?:\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}|\([^()\s]*\)|[^()\s])*+"
"""Balanced to one level as most links are; the tags of site generators (Liquid, Hugo) may hold blanks."""

_TITLE = r"""(?:\s++(?:"[^"]*"|'[^']*'))?"""

_LINK_TARGET = re.compile(
    rf"""
    (?=[\]\[<hfsw\ ])(?:  # What any of them begins with: most characters need no look at all six.
    \]\(\s*+(?:<[^<>\n]*>|{_TARGET}){_TITLE}\s*+\)        # [text](target "title"), ![text](target)
    | ^[ ]{{0,3}}\[(?!\^)[^\[\]\n]+\]:[ \t]*\S++{_TITLE}[ \t]*$  # [label]: target
    | <[A-Za-z][A-Za-z0-9+.\-]{{1,31}}:[^<>\s]*>          # <https://example.com>
    | \b(?:href|src)=(?:"[^"]*"|'[^']*')                  # <a href="target">
    | \b(?:https?|ftp)://[^\s<>()\[\]"'`]+                # https://example.com
    | \bwww\.[^\s<>()\[\]"'`]+
    )
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)


_SIGNS = ("](", "]:", "<", "://", '="', "='", "www.")
"""Each has one of them."""


def link_targets(text: str) -> list[tuple[int, int]]:
    """Return where targets and URLs begin and end (exclusive), in their order; a link's own text is in none."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _SIGNS):
        return []
    return [found.span() for found in _LINK_TARGET.finditer(text)]
