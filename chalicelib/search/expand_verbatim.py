"""Finds what of a question must be said word for word, and holds reformulations to it."""

import re
from collections.abc import Sequence

_QUOTED = re.compile(
    r"\"[^\"\n]*\w[^\"\n]*\"|“[^“”\n]*\w[^“”\n]*”|„[^„“”\n]*\w[^„“”\n]*[“”]|«[^«»\n]*\w[^«»\n]*»|`[^`\n]*\w[^`\n]*`"
    r"|(?<!\w)'[^'\n]*\w[^'\n]*'(?!\w)"
)
_WORD = re.compile(r"\S+")
_OPENING = "([{<\"'“„«‘¿¡"  # noqa: RUF001 - as above
_CLOSING = ")]}>\"'”“»’?!,;:.…"  # noqa: RUF001 - as above

_HOLDS_NAMES_TOGETHER = re.compile(r"\w(?:[._/\\@#&+=~^]|::|->)\w")
_IS_CAMEL = re.compile(r"[^\W\d_][a-z]*[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_LEAST_ACRONYM = 2


def verbatim_parts(query: str) -> Sequence[str]:
    """Return quoted phrases (with their quotes), and identifiers, versions, codes and acronyms, in their order."""
    found = [(match.start(), match[0]) for match in _QUOTED.finditer(query)]
    rest = _QUOTED.sub(lambda match: " " * len(match[0]), query)
    is_shouted = query.isupper()
    for match in _WORD.finditer(rest):
        word = _bare(match[0])
        if _is_name(word, is_shouted=is_shouted):
            found.append((match.start(), word))
    return tuple(dict.fromkeys(part for _, part in sorted(found)))


def with_verbatim(reformulation: str, parts: Sequence[str]) -> str | None:
    """Return the reformulation with every one of `parts`; those that it lost are put behind it.

    None where it says a number, version or code that the question does not: one that is nearly right finds what is
    wrong.
    """
    known = " ".join(parts).casefold()
    invented = [
        part
        for part in verbatim_parts(reformulation)
        if any(character.isdigit() for character in part) and not _is_said(part.casefold(), known)
    ]
    if invented:
        return None
    lost = [part for part in parts if not _is_said(part, reformulation)]
    return " ".join([reformulation, *lost])


def _bare(word: str) -> str:
    """Return a word without the punctuation around it; `C++`, `.env` and `--force` keep theirs."""
    return word.lstrip(_OPENING).rstrip(_CLOSING + _OPENING)


def _is_name(word: str, *, is_shouted: bool) -> bool:
    if not any(character.isalnum() for character in word):
        return False
    letters = [character for character in word if character.isalpha()]
    return (
        any(character.isdigit() for character in word)
        or not word[0].isalnum()
        or not word[-1].isalnum()
        or "_" in word
        or bool(_HOLDS_NAMES_TOGETHER.search(word) or _IS_CAMEL.search(word))
        or (len(letters) >= _LEAST_ACRONYM and word.isupper() and not is_shouted)
    )


def _is_said(part: str, text: str) -> bool:
    """Tell whether `part` is in `text` as a whole: `v1.2` is not in `v1.2.3`, nor `ERR_4` in `ERR_42`."""
    joined = r"[\w]|[.\-_/:@]\w"
    return re.search(rf"(?<!\w)(?<!\w[.\-_/:@]){re.escape(part)}(?!{joined})", text) is not None
