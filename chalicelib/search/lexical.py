"""The lexical lane: BM25 over the words of the question, in each language that the workspace speaks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pgvector import SparseVector

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.analysis import BEGINNING
from chalicelib.index.bm25 import DIMENSIONS, K1, inverse_frequency, term_number
from chalicelib.index.model import SpaceId
from chalicelib.search import store
from chalicelib.search.combinations import Combination, WeighedTerm, combinations_of, covers, estimated_chunks
from chalicelib.search.model import Candidate, Level
from chalicelib.search.question import question_terms
from chalicelib.search.store import Contents, ExtentOf, Reach, find_extent

_LANGUAGES = 6
"""Languages of a workspace in which a question is analysed at most: those of most chunks."""

_FIRST_GUESSES = (0.35, 0.3, 0.25, 0.2, 0.15)
"""What the last of the sure places scores at first guess, as a share of what the terms could add up to: the lowest one
for which few chunks are looked at, else the highest. Over 83,000 chunks 0.5, 0.4, 0.35 and 0.3 took 35, 30, 24 and
30 ms of a processor for questions of 20 words; going lower where that costs little saved a look in three questions."""

_FEW_LOOKED_AT = 500
"""Chunks, by estimate, that cost hardly more than a look does by itself."""

_NEXT_GUESS = 0.7
"""The next guess after one that was too high, as a share of it."""

_CLOSE = 0.6
"""What the place scores so far is taken for the truth when it is such a share of the guess."""

_LAST_GUESS = 0.1
"""Below such a share nothing is guessed any more."""

_RARE_CHUNKS = 200
"""Chunks of a term that are all looked at, where the term can make a difference."""

_NOBODYS = DIMENSIONS - 1
_NOTHING = Combination((), (_NOBODYS,))
"""What no chunk is likely to have."""

_FEW_CHUNKS = 4000
"""Readable chunks up to which each is looked at: exact in all places, in the time of a look by terms or two."""

_FEW_OF = 8
"""The same for one in so many of the workspace's chunks: where less is readable, more must be looked at to find it."""

_ROUNDING = 0.999
"""Weights are kept as floats of 24 bits."""

_BEGINNING_TRUST = 0.5
"""What it tells that two words begin alike, as a share of what the same word tells."""


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """The words of a question that a workspace knows: what each tells, and in how many chunks it is."""

    worth_by_term: Mapping[str, float]
    chunks_by_term: Mapping[str, int]
    chunks: int


def weigh_question(tx: Transaction, workspace_id: WorkspaceId, query: str, *, contents: Contents) -> WeighedQuestion:
    """Analyse the question in each language of the workspace, and weigh what the workspace knows of it."""
    counts = question_terms(query, languages=list(contents.chunks_by_language)[:_LANGUAGES])
    numbers = {term: term_number(workspace_id, term) for term in counts}
    frequencies = store.list_frequencies(tx, workspace_id, numbers.values())
    chunks_by_term = {term: frequencies[number] for term, number in numbers.items() if number in frequencies}
    worth_by_term = {
        term: counts[term] * _trust(term) * inverse_frequency(chunks, of=contents.chunks)
        for term, chunks in chunks_by_term.items()
    }
    return WeighedQuestion(worth_by_term, chunks_by_term, contents.chunks)


def find_by_words(
    tx: Transaction,
    reach: Reach,
    *,
    question: WeighedQuestion,
    level: Level,
    limit: int,
    sure: int,
    space_id: SpaceId | None = None,
    extent_of: ExtentOf = find_extent,
) -> Sequence[Candidate]:
    """Return the best candidates by BM25, the first `sure` places exact, and `limit` where so many can be had quickly.

    Few readable chunks are all looked at. Of many, those alone that could score as much as the last of the sure
    places, which is guessed at first; where the guess was too high, what was found tells a better one. Candidates tell
    whether they lack a vector in the space `space_id`, where it is given.
    """
    weights = _weights(reach.workspace_id, question)
    rank_few = partial(store.rank_few_by_words, tx, reach, level=level, weights=weights, limit=limit, space_id=space_id)
    if question.chunks <= _FEW_CHUNKS:
        return rank_few()
    extent = extent_of(tx, reach)
    few = max(_FEW_CHUNKS, question.chunks // _FEW_OF)
    if extent.terms_table is None or (extent.is_whole and extent.readable <= few):
        return rank_few()
    rank = partial(
        store.rank_by_words,
        tx,
        reach,
        level=level,
        terms_table=extent.terms_table,
        weights=weights,
        limit=limit,
        space_id=space_id,
    )
    terms = [
        WeighedTerm(term_number(reach.workspace_id, term), worth * (K1 + 1), question.chunks_by_term[term])
        for term, worth in question.worth_by_term.items()
    ]
    most = sum(term.most for term in terms)
    least = most * _first_guess(terms, most=most, of=question.chunks)
    looked: Sequence[Combination] = ()
    found: Sequence[Candidate] = ()
    while True:
        # A question without a word that the workspace knows is looked for all the same, so that the time does not tell
        # it from one with words of what the asker may not read.
        together = combinations_of(terms, least=least, of=question.chunks, few=_RARE_CHUNKS) or [_NOTHING]
        if not covers(looked, together):
            looked, found = together, rank(combinations=together)
        reached = found[sure - 1].score * _ROUNDING if len(found) >= sure else 0.0
        is_last_guess = least < most * _LAST_GUESS
        if least <= 0 or (reached >= least and (is_last_guess or len(found) >= limit)):
            return found
        if is_last_guess and not reached and extent.is_whole:
            return rank_few()
        least = _next_least(least, reached, is_last_guess=is_last_guess)


def _first_guess(terms: Sequence[WeighedTerm], *, most: float, of: int) -> float:
    first, *lower = _FIRST_GUESSES
    for share in lower:
        looked = combinations_of(terms, least=most * share, of=of, few=_RARE_CHUNKS)
        if estimated_chunks(looked, terms, of=of) > _FEW_LOOKED_AT:
            break
        first = share
    return first


def _next_least(guess: float, reached: float, *, is_last_guess: bool) -> float:
    """Return the next guess after one that was too high; `reached` is sure to be, and whoever looks for it is done."""
    if reached < guess and (is_last_guess or reached >= guess * _CLOSE):
        return reached
    return guess * _NEXT_GUESS


def _trust(term: str) -> float:
    return _BEGINNING_TRUST if term.startswith(BEGINNING) else 1.0


def _weights(workspace_id: WorkspaceId, question: WeighedQuestion) -> SparseVector:
    worths = {term_number(workspace_id, term): worth for term, worth in question.worth_by_term.items()}
    return SparseVector(worths or {_NOBODYS: 0.0}, DIMENSIONS)
