"""The lexical lane: BM25 over the words of the question, in each language that the workspace speaks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pgvector import SparseVector

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.analysis import BEGINNING
from chalicelib.index.bm25 import DIMENSIONS, K1, inverse_frequency, term_number
from chalicelib.index.statistics import find_statistics
from chalicelib.search import store
from chalicelib.search.model import Candidate, Level
from chalicelib.search.question import question_terms
from chalicelib.search.store import Reach

_LANGUAGES = 6
"""Languages of a workspace in which a question is analysed at most: those of most chunks."""

_FIRST_CHUNKS = 400
"""Chunks that the first look takes in at least, where so many have a term."""

_NOBODYS = ""
"""A term that no chunk has."""

_BEGINNING_TRUST = 0.5
"""What it tells that two words begin alike, as a share of what the same word tells."""


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """The words of a question that a workspace knows: what each tells, and in how many chunks it is."""

    worth_by_term: Mapping[str, float]
    chunks_by_term: Mapping[str, int]

    def rarest_first(self) -> Sequence[str]:
        """Return the terms in order of their chunks."""
        return sorted(self.chunks_by_term, key=lambda term: (self.chunks_by_term[term], term))


def weigh_question(tx: Transaction, workspace_id: WorkspaceId, query: str) -> WeighedQuestion:
    """Analyse the question in each language of the workspace, and weigh what the workspace knows of it."""
    statistics = find_statistics(tx, workspace_id)
    counts = question_terms(query, languages=list(statistics.chunks_by_language)[:_LANGUAGES])
    numbers = {term: term_number(workspace_id, term) for term in counts}
    frequencies = store.list_frequencies(tx, workspace_id, numbers.values())
    chunks_by_term = {term: frequencies[number] for term, number in numbers.items() if number in frequencies}
    worth_by_term = {
        term: counts[term] * _trust(term) * inverse_frequency(chunks, of=statistics.chunks)
        for term, chunks in chunks_by_term.items()
    }
    return WeighedQuestion(worth_by_term, chunks_by_term)


def find_by_words(
    tx: Transaction, reach: Reach, *, question: WeighedQuestion, level: Level, limit: int, sure: int
) -> Sequence[Candidate]:
    """Return the best candidates by BM25.

    The first `sure` places are exact. Only chunks with one of the rarer terms are looked at, as long as
    the others together cannot lift a chunk that has none of them into those places ("MaxScore", Turtle and
    Flood 1995): a term costs as much as it has chunks, and the frequent ones tell next to nothing.
    """
    # A question without a word that the workspace knows is looked for all the same, so that the time does not tell it
    # from one with words of what the asker may not read.
    terms = question.rarest_first() or [_NOBODYS]
    numbers = [term_number(reach.workspace_id, term) for term in terms]
    worths = [question.worth_by_term.get(term, 0.0) for term in terms]
    weights = SparseVector(dict(zip(numbers, worths, strict=True)), DIMENSIONS)
    needed = _first_needed([question.chunks_by_term.get(term, 0) for term in terms])
    while True:
        found = store.rank_by_words(tx, reach, level=level, terms=numbers[:needed], weights=weights, limit=limit)
        least = found[sure - 1].score if len(found) >= sure else 0.0
        enough = _enough(worths, least=least)
        if enough <= needed:
            return found
        needed = enough


def _trust(term: str) -> float:
    return _BEGINNING_TRUST if term.startswith(BEGINNING) else 1.0


def _first_needed(chunks: Sequence[int]) -> int:
    seen = 0
    for position, count in enumerate(chunks, start=1):
        seen += count
        if seen >= _FIRST_CHUNKS:
            return position
    return len(chunks)


def _enough(worths: Sequence[float], *, least: float) -> int:
    """Return how many of the rarer terms suffice: what the rest can add stays below `least`."""
    rest = 0.0
    for position in range(len(worths), 0, -1):
        rest += worths[position - 1] * (K1 + 1)
        if rest >= least:
            return position
    return 1
