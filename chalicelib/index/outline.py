"""Shortens a body to what fits a budget by sections: the beginning of each rather than the head alone."""

from collections.abc import Sequence

from chalicelib.index.sections import find_sections

_LEAST = 120
"""Characters of a section that are worth reading; where there is less room for each, fewer sections are read."""

_MARK = " […]"


def outline(body: str, *, characters: int) -> str:
    """Return the body, or the beginnings of its sections in at most so many characters; a cut is marked by `[…]`."""
    if len(body) <= characters:
        return body
    every = [body[section.start : section.end].strip() for section in find_sections(body)]
    sections = _spread(every, most=max(characters // _LEAST, 1))
    room = characters - 2 * len(sections)
    share = _share([len(section) for section in sections], room=room)
    return "\n\n".join(_beginning(section, share) for section in sections)[:characters]


def _spread(sections: Sequence[str], *, most: int) -> Sequence[str]:
    """Keep at most so many sections, the first one and others at even distances."""
    if len(sections) <= most:
        return sections
    return [sections[place * len(sections) // most] for place in range(most)]


def _share(lengths: Sequence[int], *, room: int) -> int:
    """Return how much of each section fits, where what short ones leave goes to the long ones."""
    left, count = room, len(lengths)
    for length in sorted(lengths):
        if length * count > left:
            break
        left -= length
        count -= 1
    return left // count if count else room


def _beginning(section: str, characters: int) -> str:
    if len(section) <= characters:
        return section
    cut = section[: max(characters - len(_MARK), 0)]
    at_word = cut.rsplit(None, 1)[0] if len(cut.split(None, 1)) > 1 else cut
    return f"{at_word if len(at_word) * 2 > len(cut) else cut}{_MARK}"
