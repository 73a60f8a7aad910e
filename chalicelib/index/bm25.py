"""BM25: what a term weighs in a chunk and in a question.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3; inverse document
frequency as in Lucene, which is never negative. Title and headings count as text repeated, as in BM25F with
one length normalisation.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pgvector import SparseVector

from chalicelib.index.analysis import BEGINNING, terms_of

K1 = 1.2
B = 0.75

# Measured on the retrieval collections: 1, 2 and 3 gave nDCG@10 of .398, .408, .412 on Cranfield and
# .501, .513, .514 on CACM; the others do not mind.
TITLE_REPEATS = 3
HEADING_REPEATS = 1

DIMENSIONS = 1_000_000_000
"""The most that pgvector's sparsevec can have."""

MOST_TERMS = 16_000
"""The most entries of a sparsevec."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term is in a chunk. `length` is the sum, without the terms for how words begin."""

    counts: Mapping[int, int]
    length: int


def term_number(workspace_id: UUID, term: str) -> int:
    """Return the number that stands for a term in a workspace: stable, and different in another workspace."""
    digest = hashlib.blake2b(term.encode(), digest_size=8, key=workspace_id.bytes).digest()
    return int.from_bytes(digest, "big") % DIMENSIONS


def count_terms(workspace_id: UUID, *, title: str, heading_path: Sequence[str], text: str, language: str) -> TermCounts:
    """Count what a chunk is found by."""
    counts: Counter[str] = Counter(terms_of(text, language))
    for term in terms_of(title, language):
        counts[term] += TITLE_REPEATS
    for heading in heading_path:
        for term in terms_of(heading, language):
            counts[term] += HEADING_REPEATS
    kept = counts.most_common(MOST_TERMS)
    length = sum(count for term, count in kept if not term.startswith(BEGINNING))
    return TermCounts({term_number(workspace_id, term): count for term, count in kept}, length)


def weigh(counted: TermCounts, *, average_length: float) -> SparseVector:
    """Return the term frequency part of BM25 for each term."""
    pivot = _pivot(counted.length, average_length)
    return SparseVector(
        {number: count * (K1 + 1) / (count + pivot) for number, count in counted.counts.items()}, DIMENSIONS
    )


def reweigh(weights: SparseVector, *, length: float, before: float, now: float) -> SparseVector:
    """Return the weights that `weigh` would give, had the average length been `now` instead of `before`."""
    old, new = _pivot(length, before), _pivot(length, now)
    counts = {
        number: max(round(weight * old / (K1 + 1 - weight)), 1)
        for number, weight in zip(weights.indices(), weights.values(), strict=True)
    }
    return SparseVector({number: count * (K1 + 1) / (count + new) for number, count in counts.items()}, DIMENSIONS)


def inverse_frequency(chunks: int, *, of: int) -> float:
    """Return how much a term that is in `chunks` out of `of` chunks tells."""
    known = min(chunks, of)
    return math.log(1 + (of - known + 0.5) / (known + 0.5))


def _pivot(length: float, average_length: float) -> float:
    return K1 * (1 - B + B * length / average_length)
