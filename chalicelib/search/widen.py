"""Widens hits by the chunks around them: of the same revision of the same item, so of what the asker may read."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from chalicelib.database.transaction import Row, Transaction
from chalicelib.items.model import ItemId
from chalicelib.search.hits_store import read_neighbours
from chalicelib.search.model import Widened
from chalicelib.search.store import Reach

MOST_NEIGHBOURS = 5
"""Chunks on either side at most."""

_CHARACTERS = 20_000
"""What a widened passage has at most: then the farther neighbours stay away."""


def widen_hits(
    tx: Transaction, reach: Reach, rows: Sequence[Row], *, neighbours: int
) -> Mapping[tuple[ItemId, int], Widened]:
    """Return the passage around each hit by (item, ordinal): its chunk and up to `neighbours` on either side.

    Where chunks overlap the text is there once; between two that do not touch stands a blank line. A hit whose item
    has another revision in search by now is left as it is.
    """
    chunks_by_item: dict[ItemId, list[Row]] = defaultdict(list)
    places = [(row["item_id"], row["ordinal"]) for row in rows]
    for chunk in read_neighbours(tx, reach, places, neighbours=neighbours):
        chunks_by_item[chunk["item_id"]].append(chunk)
    widened = {}
    for row in rows:
        around = [
            chunk
            for chunk in chunks_by_item[row["item_id"]]
            if abs(chunk["ordinal"] - row["ordinal"]) <= neighbours and chunk["revision"] == row["revision"]
        ]
        if around:
            widened[row["item_id"], row["ordinal"]] = _joined(_nearest(around, row["ordinal"]), row["ordinal"])
    return widened


def _nearest(around: Sequence[Row], ordinal: int) -> list[Row]:
    """Take in neighbours by their distance while there is room; the result has no gaps."""
    taken: list[Row] = []
    room = _CHARACTERS
    for chunk in sorted(around, key=lambda chunk: (abs(chunk["ordinal"] - ordinal), chunk["ordinal"])):
        room -= len(chunk["text"])
        if room < 0 and taken:
            break
        taken.append(chunk)
    return sorted(taken, key=lambda chunk: int(chunk["ordinal"]))


def _joined(chunks: Sequence[Row], ordinal: int) -> Widened:
    text, start, end = "", chunks[0]["body_start"], chunks[0]["body_start"]
    hit = (0, 0)
    for chunk in chunks:
        shared = end - chunk["body_start"]
        if shared < 0:
            text, shared = text + "\n\n", 0
        begins = len(text) - shared
        text += chunk["text"][shared:]
        end = max(end, chunk["body_end"])
        if chunk["ordinal"] == ordinal:
            hit = (begins, begins + len(chunk["text"]))
    return Widened(text, (start, end), hit)
