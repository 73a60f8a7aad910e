"""One call of a remote embedder until each text has its own vector, or none because of itself, or the call has failed.

A provider takes a batch as a whole or not at all, and for one text that it cannot take the others would have none. So
what is refused is halved until the culprit stands alone; a text that is too long is cut in windows; and one that even
then is not taken, while a harmless text is, stays without a vector.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from chalicelib.platform.patience import Patience
from chalicelib.platform.pieces import Piece, halves_of, piece_of
from chalicelib.platform.provider_calls import CallFailed, Outcome

Purpose = Literal["passage", "query"]
Row: TypeAlias = npt.NDArray[np.float32]
Sum: TypeAlias = npt.NDArray[np.float64]
"""The sum of unit vectors of windows, each times its tokens: its direction is their weighted mean's."""

_TRIES = 3
_TRIES_OF_QUESTION = 2
_HARMLESS = "The quick brown fox jumps over the lazy dog."
# A refusal that gives no reason may mean the length; of a text shorter than this it does not.
_SURELY_SHORT = 400
_HALTING = frozenset({Outcome.BUSY, Outcome.DENIED, Outcome.UNREADABLE, Outcome.LATE})


@dataclass(frozen=True, slots=True)
class Answer:
    """One row a text, in their order and of any length; `tokens` None where the provider does not count."""

    rows: Sequence[Row]
    tokens: int | None


Call: TypeAlias = Callable[[Sequence[str], Purpose, float], Answer]
"""Has the provider embed texts within some seconds. Raises CallFailed."""


class EmbeddingWork:
    """What was asked for, how long it may take, and what it has cost until now; threads may share it."""

    def __init__(self, call: Call, purpose: Purpose, patience: Patience, *, dimensions: int) -> None:
        self.tokens = 0
        self.most_texts: int | None = None
        self._call = call
        self._purpose = purpose
        self._patience = patience
        self._dimensions = dimensions
        # Somebody waits for a question: whether it is the text that breaks the server is not looked into.
        self._halting = _HALTING | ({Outcome.BROKEN} if purpose == "query" else set())
        self._failures = 0
        self._lock = Lock()

    def embed(self, pieces: Sequence[Piece], *, tries: int = _TRIES) -> list[Sum | None]:
        """Return a sum for each piece, None for one that the provider cannot take. Raises CallFailed."""
        try:
            rows = self._asked(pieces, tries=tries)
        except CallFailed as failed:
            if failed.outcome in self._halting:
                raise
            self._failures += 1
            return self._in_halves(pieces, failed) if len(pieces) > 1 else [self._alone(pieces[0], failed)]
        return [
            _weighted(row, piece) if np.isfinite(row).all() else self._without_numbers(piece, of=len(pieces))
            for piece, row in zip(pieces, rows, strict=True)
        ]

    def _asked(self, pieces: Sequence[Piece], *, tries: int) -> Sequence[Row]:
        texts = [piece.text for piece in pieces]
        most = tries if self._purpose == "passage" else _TRIES_OF_QUESTION
        answer = self._patience.call(lambda seconds: self._call(texts, self._purpose, seconds), tries=most)
        with self._lock:
            self.tokens += sum(piece.tokens for piece in pieces) if answer.tokens is None else answer.tokens
        if len(answer.rows) != len(pieces):
            raise CallFailed(Outcome.UNREADABLE, f"gave {len(answer.rows)} vectors for {len(pieces)} texts")
        if strange := {row.shape for row in answer.rows} - {(self._dimensions,)}:
            found = " and ".join(sorted("x".join(map(str, shape)) for shape in strange))
            raise CallFailed(
                Outcome.UNREADABLE, f"gave vectors of {found} dimensions where {self._dimensions} were asked for"
            )
        return answer.rows

    def _in_halves(self, pieces: Sequence[Piece], failed: CallFailed) -> list[Sum | None]:
        if failed.outcome is Outcome.BROKEN:
            self._prove_that_others_are_taken()
        failures, middle = self._failures, len(pieces) // 2
        sums = [each for half in (pieces[:middle], pieces[middle:]) for each in self.embed(half, tries=_tries(half))]
        if self._failures == failures and failed.outcome is not Outcome.BROKEN:
            # Each half was taken as it is, so it was their number: from now on no more are sent at once.
            self.most_texts = min(len(pieces) - middle, self.most_texts or len(pieces))
        return sums

    def _alone(self, piece: Piece, failed: CallFailed) -> Sum | None:
        may_be_long = failed.outcome is Outcome.TOO_LARGE or len(piece.text) > _SURELY_SHORT
        if may_be_long and failed.outcome is not Outcome.BROKEN and len(piece.text) > 1:
            return self._in_windows(piece)
        self._prove_that_others_are_taken()
        return self._once_more(piece) if failed.outcome is Outcome.BROKEN else None

    def _once_more(self, piece: Piece) -> Sum | None:
        """Ask a last time, now that the provider is known to be well: it may have recovered in between."""
        try:
            row = self._asked([piece], tries=1)[0]
        except CallFailed as failed:
            if failed.outcome in _HALTING:
                raise
            return None
        return _weighted(row, piece) if np.isfinite(row).all() else None

    def _in_windows(self, piece: Piece) -> Sum | None:
        total: Sum = np.zeros(self._dimensions)
        for window in halves_of(piece):
            part = self.embed([window])[0]
            if part is None:
                return None
            total += part
        return total

    def _without_numbers(self, piece: Piece, *, of: int) -> Sum | None:
        """Ask again for one whose vector has what is no number; the vectors that came with it stay."""
        if of > 1:
            return self.embed([piece])[0]
        return self._alone(piece, CallFailed(Outcome.REFUSED, "gave a vector of what are no numbers"))

    def _prove_that_others_are_taken(self) -> None:
        """Raise CallFailed unless a harmless text is taken: then it is the provider, and no text is to blame."""
        try:
            row = self._asked([piece_of(0, _HARMLESS)], tries=_TRIES)[0]
        except CallFailed as failed:
            if failed.outcome in _HALTING:
                raise
            # Nobody's text is in what it says now.
            about = f" ({failed.said[:300]})" if failed.said and failed.said.isprintable() else ""
            raise CallFailed(Outcome.DENIED, f"{failed.detail}{about}, whatever the text") from failed
        if not np.isfinite(row).all():
            raise CallFailed(Outcome.UNREADABLE, "gave a vector of what are no numbers, whatever the text")


def unit(row: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a vector of length 1 in the same direction; one without a direction stays zero."""
    length = float(np.linalg.norm(row))
    return row / length if length > 0 else row


def _weighted(row: Row, piece: Piece) -> Sum:
    return piece.tokens * unit(row.astype(np.float64))


def _tries(pieces: Sequence[Piece]) -> int:
    """Return how often a part is tried: whoever calls a text the culprit is to be sure, on the way there not."""
    return _TRIES if len(pieces) == 1 else 1
