"""The embedder of any provider that is called over a network: cuts what it is given into calls, and sums up."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from chalicelib.platform.embedding_work import Call, EmbeddingWork, Purpose, Sum, unit
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.patience import Pace, Patience
from chalicelib.platform.pieces import Piece, cleaned, cut_to_fit, has_meaning, piece_of
from chalicelib.platform.ports import Embedded, Vectors
from chalicelib.platform.provider_calls import CallFailed

_SECONDS_A_CALL = 30.0


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds for the passages of one call of the embedder, and for a question."""

    passages: float = 45.0
    query: float = 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may hold, in estimated tokens, and how many calls are made at once."""

    texts: int
    tokens: int
    tokens_a_text: int
    characters_a_text: int
    calls: int = 1


class BatchingEmbedder:
    """An embedder on top of a provider's call; threads may share it."""

    def __init__(
        self,
        call: Call,
        limits: Limits,
        *,
        space: str,
        dimensions: int,
        languages: frozenset[str] | None,
        deadlines: Deadlines | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.space = space
        self.dimensions = dimensions
        self.languages = languages
        self._call = call
        self._limits = limits
        self._most_texts = limits.texts
        self._deadlines = deadlines or Deadlines()
        self._pace = pace or Pace()

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole; one that the provider cannot take is zero. Raises EmbedderUnavailable."""
        return self._embed(texts, "passage", self._deadlines.passages)

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises EmbedderUnavailable."""
        return self._embed([text], "query", self._deadlines.query)

    def _embed(self, texts: Sequence[str], purpose: Purpose, seconds: float) -> Embedded:
        patience = Patience(seconds, self._pace, seconds_a_call=_SECONDS_A_CALL)
        work = EmbeddingWork(self._call, purpose, patience, dimensions=self.dimensions)
        pieces = [piece for place, text in enumerate(texts) for piece in self._pieces(place, text)]
        try:
            sums = self._sums(work, self._batches(pieces), patience)
        except CallFailed as failed:
            raise self._unavailable(failed, tokens=work.tokens) from failed
        self._most_texts = min(self._most_texts, work.most_texts or self._most_texts)
        return Embedded(_rows(pieces, sums, texts=len(texts), dimensions=self.dimensions), work.tokens)

    def _pieces(self, place: int, text: str) -> list[Piece]:
        readable = cleaned(text)
        if not has_meaning(readable):
            return []
        limits = self._limits
        return cut_to_fit(piece_of(place, readable), tokens=limits.tokens_a_text, characters=limits.characters_a_text)

    def _batches(self, pieces: Sequence[Piece]) -> list[list[Piece]]:
        batches: list[list[Piece]] = []
        tokens = 0
        for piece in pieces:
            is_full = not batches or len(batches[-1]) >= self._most_texts
            if is_full or tokens + piece.tokens > self._limits.tokens:
                batches.append([])
                tokens = 0
            batches[-1].append(piece)
            tokens += piece.tokens
        return batches

    def _sums(self, work: EmbeddingWork, batches: Sequence[list[Piece]], patience: Patience) -> list[Sum | None]:
        threads = min(self._limits.calls, len(batches))
        if threads <= 1:
            return [each for batch in batches for each in work.embed(batch)]
        with ThreadPoolExecutor(threads, thread_name_prefix="embedding") as pool:
            futures = [pool.submit(work.embed, batch) for batch in batches]
            try:
                return [each for future in futures for each in future.result()]
            except BaseException:
                patience.end()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _unavailable(self, failed: CallFailed, *, tokens: int) -> EmbedderUnavailable:
        """`tokens` were read, and are to be paid for, though nothing comes of them."""
        members = {} if failed.wait is None else {"retry_after": round(failed.wait, 3)}
        return EmbedderUnavailable(
            f"The embedder {self.space} {failed.detail}; try again later.",
            space=self.space,
            input_tokens=tokens,
            **members,
        )


def _rows(pieces: Sequence[Piece], sums: Sequence[Sum | None], *, texts: int, dimensions: int) -> Vectors:
    """Return a unit row for each text: the weighted mean of its pieces, or zero where one of them was not taken."""
    totals = np.zeros((texts, dimensions))
    for piece, part in zip(pieces, sums, strict=True):
        totals[piece.place] += np.nan if part is None else part
    rows = np.zeros((texts, dimensions), np.float32)
    for place in np.flatnonzero(np.isfinite(totals).all(axis=1)):
        rows[place] = unit(totals[place])
    return rows
