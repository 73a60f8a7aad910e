"""Gets the vectors of texts, embedding only those that the workspace has not embedded before."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pgvector import HalfVector

from chalicelib.database.database import Database
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import store
from chalicelib.index.model import Passage, Vectors
from chalicelib.index.spaces import ensure_space
from chalicelib.platform.ports import Embedder

if TYPE_CHECKING:
    import numpy as np

_BATCH = 64
"""Texts between two looks at the lease: some seconds of work on two cores."""


def vectors_of(
    passages: Sequence[Passage],
    *,
    database: Database,
    workspace_id: WorkspaceId,
    embedder: Embedder,
    before_each_batch: Callable[[], None],
) -> Vectors:
    """Return the vectors of all passages. Raises EmbedderUnavailable, and what `before_each_batch` raises.

    Nothing is held in the database while it embeds. A vector without a direction (zero) or with a component that
    is no number has no place in a cosine ranking: it is left out and named in `unusable`.
    """
    texts = {passage.embedded_sha256: passage.embedded for passage in passages}
    with database.transaction() as tx:
        space_id = ensure_space(tx, name=embedder.space, dimensions=embedder.dimensions)
        by_sha256 = store.list_known_vectors(tx, workspace_id, space_id, texts)
    import numpy as np  # noqa: PLC0415 - as in is_usable

    unusable: set[bytes] = set()
    for hashes in _batches(texts, known=by_sha256):
        before_each_batch()
        embedded = embedder.embed_passages([texts[sha256] for sha256 in hashes])
        for sha256, vector in zip(hashes, np.asarray(embedded.vectors, np.float32), strict=True):
            if is_usable(vector):
                by_sha256[sha256] = HalfVector(vector)
            else:
                unusable.add(sha256)
    return Vectors(space_id, by_sha256, frozenset(unusable))


def is_usable(vector: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]") -> bool:
    """Tell whether a vector has a direction and fits into halves."""
    # Not before it is needed: it takes longer to load than the rest of a search takes.
    import numpy as np  # noqa: PLC0415

    halves = np.abs(vector.astype(np.float16))
    return bool(np.isfinite(halves).all() and halves.any())


def _batches(texts: Mapping[bytes, str], *, known: Mapping[bytes, object]) -> list[list[bytes]]:
    """Put texts of like length together: a batch costs as much as its longest text times their number."""
    missing = sorted((sha256 for sha256 in texts if sha256 not in known), key=lambda sha256: len(texts[sha256]))
    return [missing[at : at + _BATCH] for at in range(0, len(missing), _BATCH)]
