"""Makes hits of candidates in their order: reads what they say, collapses copies, and cuts at the limit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.database.transaction import Row, Transaction
from chalicelib.index.analysis import terms_of
from chalicelib.items.model import ItemClass, ItemId, ItemKind
from chalicelib.search import store
from chalicelib.search.collapse import find_copies
from chalicelib.search.confidence import is_weak
from chalicelib.search.hits_store import is_overdue
from chalicelib.search.lexical import WeighedQuestion
from chalicelib.search.model import Copy, Explanation, Hit, Level, Widened
from chalicelib.search.ordering import Ordered
from chalicelib.search.retrieval import Retrieval
from chalicelib.search.snippets import snippet_of
from chalicelib.search.widen import widen_hits

_MOST_COPIES = 20
"""Copies that a hit names at most."""

_LEAST_READ = 10
"""Candidates that are read at least, so that a hit names its copies where few hits are wanted too."""

_MOST_READ = 3
"""How many times so many are read at most to find as many hits as are wanted that are no copies."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A candidate that becomes a hit, what was read of it, and all that was collapsed into it."""

    ordered: Ordered
    row: Row
    copies: list[Copy]


@dataclass(frozen=True, slots=True)
class Found:
    """What hits are made of, the best first. `is_whole`: each candidate that was looked at could be read."""

    kept: Sequence[Kept] = ()
    is_whole: bool = True
    weighed: WeighedQuestion | None = None
    widened: Mapping[tuple[ItemId, int], Widened] = field(default_factory=dict)


def read_hits(tx: Transaction, retrieval: Retrieval, ordered: Sequence[Ordered]) -> Found:
    """Read what `limit` hits say; a candidate that went away or out of reach since the lanes ran is none."""
    if not ordered:
        return Found()
    kept, is_whole = _read(tx, retrieval, ordered)
    neighbours = retrieval.question.neighbours
    rows = [one.row for one in kept]
    widened = widen_hits(tx, retrieval.reach, rows, neighbours=neighbours) if neighbours and kept else {}
    return Found(kept, is_whole, retrieval.weigh(tx), widened)


def show_hits(retrieval: Retrieval, found: Found) -> Sequence[Hit]:
    """Cut snippets and say what there is to say, without the database."""
    if found.weighed is None:
        return []
    return [
        _hit(retrieval, one, found.weighed, found.widened.get((one.row["item_id"], one.row["ordinal"])))
        for one in found.kept
    ]


def _read(tx: Transaction, retrieval: Retrieval, ordered: Sequence[Ordered]) -> tuple[list[Kept], bool]:
    limit, level = retrieval.question.limit, retrieval.question.level
    found: list[tuple[Ordered, Row]] = []
    kept: list[Kept] = []
    is_whole = True
    at_once = max(limit, _LEAST_READ)
    for first in range(0, min(len(ordered), _MOST_READ * at_once), at_once):
        batch = ordered[first : first + at_once]
        rows = store.read_hits(tx, retrieval.reach, [one.fused.chunk_id for one in batch])
        is_whole = is_whole and len(rows) == len(batch)
        found += [(one, rows[one.fused.chunk_id]) for one in batch if one.fused.chunk_id in rows]
        kept = _collapsed(found, level=level)
        if len(kept) >= limit:
            break
    return kept[:limit], is_whole


def _collapsed(found: Sequence[tuple[Ordered, Row]], *, level: Level) -> list[Kept]:
    """Keep the first of what says the same: chunks nearly word for word, items to the letter."""
    if level is Level.ITEM:
        firsts: dict[bytes, int] = {}
        originals = [firsts.setdefault(row["body_sha256"], place) for place, (_, row) in enumerate(found)]
    else:
        originals = find_copies([row["text"] for _, row in found])
    kept_by_place: dict[int, Kept] = {}
    for place, (original, (one, row)) in enumerate(zip(originals, found, strict=True)):
        if original == place:
            kept_by_place[place] = Kept(one, row, [])
        else:
            kept_by_place[original].copies.append(Copy(row["item_id"], row["chunk_id"], row["path"], row["title"]))
    return list(kept_by_place.values())


def _hit(retrieval: Retrieval, kept: Kept, weighed: WeighedQuestion, widened: Widened | None) -> Hit:
    row, ordered = kept.row, kept.ordered
    return Hit(
        item_id=row["item_id"],
        chunk_id=row["chunk_id"],
        revision=row["revision"],
        path=row["path"],
        title=row["title"],
        kind=ItemKind(row["kind"]),
        item_class=ItemClass(row["class"]),
        heading_path=row["heading_path"],
        page=row["page"],
        span=(row["body_start"], row["body_end"]),
        opening=row["opening"],
        snippet=snippet_of(
            row["text"],
            language=row["language"],
            worth_by_term=weighed.worth_by_term,
            heading_path=row["heading_path"],
        ),
        score=round(ordered.score, 6),
        lanes=ordered.fused.placings,
        is_weak=_is_weak(retrieval, ordered),
        updated_at=row["updated_at"],
        is_stale=is_overdue(row["review_by"], today=row["today"]),
        copies=kept.copies[:_MOST_COPIES],
        widened=widened,
        explanation=_explanation(ordered, row, weighed) if retrieval.question.explain else None,
    )


def _is_weak(retrieval: Retrieval, ordered: Ordered) -> bool:
    if ordered.is_weak is not None:
        return ordered.is_weak
    return is_weak(ordered.fused.placings, space=retrieval.embedder.space if retrieval.embedder else None)


def _explanation(ordered: Ordered, row: Row, weighed: WeighedQuestion) -> Explanation:
    words = f"{row['title']}\n{' '.join(row['heading_path'])}\n{row['text']}"
    present = set(terms_of(words, row["language"]))
    return Explanation(
        fused=ordered.fused.score,
        shares=ordered.fused.shares,
        words={term: worth for term, worth in weighed.worth_by_term.items() if term in present},
        factors=ordered.factors,
        relevance=ordered.relevance,
        is_exact=ordered.is_exact,
        lacks_vector=ordered.fused.lacks_vector,
    )
