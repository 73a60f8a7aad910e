"""Gets the vectors of texts, embedding only those that the workspace has not embedded before."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pgvector import HalfVector

from chalicelib.database.database import Database
from chalicelib.errors import Rejected
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import store
from chalicelib.index.model import Passage, Vectors
from chalicelib.index.spaces import SpaceMismatch, ensure_space
from chalicelib.platform.ports import Embedder

if TYPE_CHECKING:
    import numpy as np

_BATCH = 64
"""Texts between two looks at the lease: some seconds of work on two cores."""

WITHOUT_DIRECTION = "vector-without-direction"
"""Why a text has no place in a cosine ranking: its vector is zero, or not finite."""


@dataclass(slots=True)
class EmbeddedBatch:
    """Vectors by the SHA-256 of what was embedded, why others have none, and the tokens that were read for them."""

    by_sha256: dict[bytes, HalfVector] = field(default_factory=dict)
    unusable: dict[bytes, str] = field(default_factory=dict)
    tokens: int = 0

    def add(self, other: "EmbeddedBatch") -> None:
        """Take another batch in."""
        self.by_sha256 |= other.by_sha256
        self.unusable |= other.unusable
        self.tokens += other.tokens


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
    is no number has no place in a cosine ranking, and a text that the embedder refuses has none: they are left out
    and named in `unusable`.
    """
    texts = {passage.embedded_sha256: passage.embedded for passage in passages}
    with database.transaction() as tx:
        space_id = ensure_space(tx, name=embedder.space, dimensions=embedder.dimensions)
        known = store.list_known_vectors(tx, workspace_id, space_id, texts)
    embedded = EmbeddedBatch(dict(known))
    missing = {sha256: text for sha256, text in texts.items() if sha256 not in known}
    for batch in embed_texts(missing, embedder=embedder, before_each_batch=before_each_batch):
        embedded.add(batch)
    return Vectors(space_id, embedded.by_sha256, frozenset(embedded.unusable), embedded.tokens)


def embed_texts(
    texts: Mapping[bytes, str], *, embedder: Embedder, before_each_batch: Callable[[], None]
) -> Iterator[EmbeddedBatch]:
    """Embed texts by their SHA-256, batch by batch.

    Raises EmbedderUnavailable, SpaceMismatch where vectors have another length than the embedder says, and what
    `before_each_batch` raises.
    """
    for hashes in _batches(texts):
        before_each_batch()
        yield _embed(hashes, texts, embedder)


def _embed(hashes: Sequence[bytes], texts: Mapping[bytes, str], embedder: Embedder) -> EmbeddedBatch:
    """Embed a batch. Where it is refused its halves are tried, so that one bad text harms itself alone."""
    import numpy as np  # noqa: PLC0415 - as in is_usable

    try:
        embedded = embedder.embed_passages([texts[sha256] for sha256 in hashes])
    except Rejected as error:
        if len(hashes) == 1:
            return EmbeddedBatch(unusable={hashes[0]: error.problem_type()})
        batch, middle = EmbeddedBatch(), len(hashes) // 2
        for half in (hashes[:middle], hashes[middle:]):
            batch.add(_embed(half, texts, embedder))
        return batch
    vectors = np.asarray(embedded.vectors, np.float32)
    if vectors.shape != (len(hashes), embedder.dimensions):
        raise SpaceMismatch(
            f"The embedder of {embedder.space} gave {vectors.shape} for {len(hashes)} texts; its space has"
            f" {embedder.dimensions} dimensions.",
            space=embedder.space,
        )
    batch = EmbeddedBatch(tokens=embedded.tokens)
    for sha256, vector in zip(hashes, vectors, strict=True):
        if is_usable(vector):
            batch.by_sha256[sha256] = HalfVector(vector)
        else:
            batch.unusable[sha256] = WITHOUT_DIRECTION
    return batch


def is_usable(vector: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]") -> bool:
    """Tell whether a vector has a direction and fits into halves."""
    # Not before it is needed: it takes longer to load than the rest of a search takes.
    import numpy as np  # noqa: PLC0415

    with np.errstate(over="ignore"):  # what is too large becomes infinite
        halves = np.abs(vector.astype(np.float16))
    return bool(np.isfinite(halves).all() and halves.any())


def _batches(texts: Mapping[bytes, str]) -> list[list[bytes]]:
    """Put texts of like length together: a batch costs as much as its longest text times their number."""
    ordered = sorted(texts, key=lambda sha256: len(texts[sha256]))
    return [ordered[at : at + _BATCH] for at in range(0, len(ordered), _BATCH)]
