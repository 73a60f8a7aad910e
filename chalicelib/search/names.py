"""Tells which candidates bear the very name that was asked for."""

import unicodedata
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from chalicelib.items.model import ItemId
from chalicelib.search.model import Candidate, Named


def called_so(name: str, candidates: Iterable[Candidate]) -> AbstractSet[ItemId]:
    """Return the items whose title or file name is `name`, which is folded, letter by letter; none for an empty one.

    Of nothing but quotes and dots no letter is left, and that would be the name of whatever is titled so.
    """
    if not name:
        return frozenset()
    return {one.item_id for one in candidates if one.named is not None and name in _names_of(one.named)}


def folded_name(name: str) -> str:
    """Return a title, a file name or a question without what makes no difference between names."""
    folded = name.casefold()
    if not folded.isascii():
        decomposed = unicodedata.normalize("NFKD", folded)
        folded = "".join(one for one in decomposed if not unicodedata.combining(one))
    return " ".join(folded.split()).strip("\"'“”„«» ?!.")


def _names_of(item: Named) -> tuple[str, str, str]:
    file = (item.path or "").rpartition("/")[2]
    return folded_name(item.title or ""), folded_name(file), folded_name(file.rpartition(".")[0] or file)
