"""Finds the embedders that questions are likely to need."""

from collections.abc import Sequence

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import store
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.platform.ports import Embedder


def find_in_use(tx: Transaction, *, embedders: Embedders) -> Sequence[Embedder]:
    """Return those of the spaces that organizations are searched in; the default where there is none yet."""
    active = store.list_active(tx)
    spaces = active or [embedder.space for embedder in (embedders.default,) if embedder is not None]
    return [embedder for embedder in map(embedders.find, spaces) if embedder is not None]
