"""Says why an item is not among the hits of a search, to somebody who may read it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace

from chalicelib.database.transaction import Transaction
from chalicelib.errors import Unavailable
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import IndexState, Item, ItemFilters, ItemId
from chalicelib.items.store import find_item, list_items_by_path
from chalicelib.items.trash_store import find_in_trash
from chalicelib.search.lexical import find_by_words
from chalicelib.search.model import Candidate, Lane, Missing, MissingReason, Placing
from chalicelib.search.ordering import Ordered
from chalicelib.search.retrieval import Retrieval
from chalicelib.search.semantic import find_by_meaning, question_vector
from chalicelib.search.show_hits import Kept
from chalicelib.search.store import Reach


def explain_missing(
    retrieval: Retrieval, item_id: ItemId, *, ordered: Sequence[Ordered], kept: Sequence[Ordered], shown: Sequence[Kept]
) -> Missing:
    """Return where the item ended, and what each lane gives it.

    `ordered` are the candidates before a reranker dropped some, `kept` those after, `shown` became hits. What the
    asker may not read is said of as what does not exist. Raises ItemNotFound.
    """
    with retrieval.transaction() as tx:
        item = find_item(tx, retrieval.reach.workspace_id, item_id, audiences=retrieval.reach.audiences)
        if item is None:
            return _trashed(tx, retrieval, item_id)
        excluding = _excluding_filters(tx, retrieval, item)
    placings = _placings(ordered, item_id)
    if not excluding and not placings and item.index.revision is not None:
        placings = _own_scores(retrieval, item)
    place = next((rank for rank, one in enumerate(kept, start=1) if one.fused.item_id == item_id), None)
    reason, path = _shown_with(item_id, shown) or (
        _reason(item, place=place, is_candidate=bool(_placings(ordered, item_id)), excluding=excluding),
        None,
    )
    return Missing(item_id=item_id, reason=reason, place=place, filters=excluding, shown_with=path, lanes=placings)


def _trashed(tx: Transaction, retrieval: Retrieval, item_id: ItemId) -> Missing:
    """Return that the item lies in the trash, to whom it could be read. Raises ItemNotFound."""
    if find_in_trash(tx, retrieval.reach.workspace_id, item_id, audiences=retrieval.reach.audiences) is None:
        raise ItemNotFound("There is no such item.")
    return Missing(item_id=item_id, reason=MissingReason.TRASHED, place=None, filters=(), shown_with=None, lanes={})


def _shown_with(item_id: ItemId, shown: Sequence[Kept]) -> tuple[MissingReason, str] | None:
    """Return whether it is shown or a copy of what is, be it named there or not, and the path of the hit."""
    paths = [(MissingReason.SHOWN, one.row["path"]) for one in shown if one.row["item_id"] == item_id]
    paths += [
        (MissingReason.COPY, one.row["path"]) for one in shown if any(copy.item_id == item_id for copy in one.copies)
    ]
    return next(iter(paths), None)


def _reason(item: Item, *, place: int | None, is_candidate: bool, excluding: Sequence[str]) -> MissingReason:
    """Return the first reason that holds."""
    holds = {
        MissingReason.NO_TEXT: item.index.state is IndexState.NO_TEXT,
        MissingReason.FAILED: item.index.revision is None and item.index.state is IndexState.FAILED,
        MissingReason.NOT_INDEXED: item.index.revision is None,
        MissingReason.FILTERED: bool(excluding),
        MissingReason.BELOW_LIMIT: place is not None,
        MissingReason.IRRELEVANT: is_candidate,
    }
    return next((reason for reason, does in holds.items() if does), MissingReason.NO_CANDIDATE)


def _excluding_filters(tx: Transaction, retrieval: Retrieval, item: Item) -> Sequence[str]:
    """Return the filters that the item does not pass, each tried alone."""
    nothing, said = ItemFilters(), retrieval.reach.filters
    excluding = []
    for field in fields(ItemFilters):
        value = getattr(said, field.name)
        if field.name == "path" or value == getattr(nothing, field.name):
            continue
        alone = replace(ItemFilters(path=item.path), **{field.name: value})
        passed = list_items_by_path(
            tx,
            retrieval.reach.workspace_id,
            alone,
            audiences=retrieval.reach.audiences,
            after_path=None,
            limit=1,
        )
        if not passed:
            excluding.append(field.name)
    return excluding


def _placings(ordered: Sequence[Ordered], item_id: ItemId) -> Mapping[Lane, Placing]:
    return next((one.fused.placings for one in ordered if one.fused.item_id == item_id), {})


def _own_scores(retrieval: Retrieval, item: Item) -> Mapping[Lane, Placing]:
    """Return what each lane gives an item that is among the candidates of none; one out of reach gives it nothing."""
    reach = Reach(retrieval.reach.workspace_id, retrieval.reach.audiences, ItemFilters(path=item.path))
    embedder, level = retrieval.embedder, retrieval.question.level
    found: dict[Lane, Sequence[Candidate]] = {}
    with suppress(Unavailable), retrieval.transaction() as tx:
        found[Lane.LEXICAL] = find_by_words(tx, reach, question=retrieval.weigh(tx), level=level, limit=1, sure=1)
    if embedder is not None:
        with suppress(Unavailable):
            vector = question_vector(embedder, retrieval.query)
            if vector is not None:
                with retrieval.transaction() as tx:
                    found[Lane.SEMANTIC] = find_by_meaning(
                        tx, reach, contents=retrieval.contents, vector=vector, level=level, limit=1
                    )
    return {lane: Placing(0, candidates[0].score) for lane, candidates in found.items() if candidates}
