"""Looks for candidates: the lanes of a question's mode, for each of its wordings, and what they find fused."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.items.model import ItemId
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.ports import Embedder
from chalicelib.search import store
from chalicelib.search.errors import SearchUnavailable
from chalicelib.search.fusion import Fused, Ranked, fuse
from chalicelib.search.lanes import LaneAnswer, LaneSkipped, run_lanes, skipped
from chalicelib.search.lexical import WeighedQuestion, find_by_words, weigh_question
from chalicelib.search.model import Candidate, Lane, LaneReport, LaneState, SettledQuestion
from chalicelib.search.names import called_so
from chalicelib.search.semantic import find_by_meaning, question_vector
from chalicelib.search.store import Contents, Extent, Reach

_DEPTH = 100
"""Candidates that a lane gives at least, so that what one lane puts low can still rise by the other's word."""

_SURE = 20
"""Places of the lexical lane that are exact at least."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way of putting the question; the question's own counts 1."""

    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Looked:
    """What the lanes found, fused, the best first, the items that are called as is asked, and how each lane fared."""

    fused: Sequence[Fused]
    exact: AbstractSet[ItemId]
    lanes: Mapping[Lane, LaneReport]


class Retrieval:
    """One question within one asker's reach. Looking again finds what has changed since."""

    def __init__(
        self,
        database: Database,
        reach: Reach,
        *,
        question: SettledQuestion,
        name: str,
        wordings: Sequence[Wording],
        embedder: Embedder | None,
        contents: Contents,
        lane_seconds: float,
    ) -> None:
        """`name` is the question as a folded name, for whose letters `reach` asks; `wordings` begin with its own.

        `contents` tell of the embedder's space.
        """
        self.database, self.reach, self.embedder, self.contents = database, reach, embedder, contents
        self.question, self._name, self._wordings, self._seconds = question, name, wordings, lane_seconds
        self._depth = max(_DEPTH, 2 * question.limit)
        self._weighed: WeighedQuestion | None = None
        self._extent: Extent | None = None

    @property
    def query(self) -> str:
        """The question's own wording."""
        return self._wordings[0].text

    def look(self) -> Looked:
        """Run the lanes once and fuse what they find. Raises SearchUnavailable."""
        self._extent = None
        answers = run_lanes(self._runs(), seconds=self._seconds)
        if all(answer.report.state is LaneState.DROPPED for answer in answers.values()):
            reasons = {str(lane): answer.report.reason for (lane, _), answer in answers.items()}
            raise SearchUnavailable("No search lane answered in time; try again.", lanes=reasons)
        fused = fuse(
            [
                Ranked(lane, answer.candidates, self._depth, wording.weight)
                for (lane, wording), answer in answers.items()
                if answer.report.state is LaneState.OK
            ],
            level=self.question.level,
            understood=self.embedder.languages if self.embedder else None,
            space=self.embedder.space if self.embedder else None,
        )
        exact = called_so(self._name, (one for answer in answers.values() for one in answer.candidates))
        return Looked(fused, exact, self._reports(answers))

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction whose statements end with the lanes' time."""
        return self.database.transaction(statement_seconds=self._seconds)

    def weigh(self, tx: Transaction) -> WeighedQuestion:
        """Return what the words of the question tell, worked out once."""
        if self._weighed is None:
            self._weighed = self._weigh(tx, self.query)
        return self._weighed

    def _weigh(self, tx: Transaction, query: str) -> WeighedQuestion:
        return weigh_question(tx, self.reach.workspace_id, query, contents=self.contents)

    def _runs(self) -> Mapping[tuple[Lane, Wording], Callable[[], Sequence[Candidate]]]:
        runs: dict[tuple[Lane, Wording], Callable[[], Sequence[Candidate]]] = {}
        for wording in self._wordings:
            if self.question.mode is not Mode.SEMANTIC:
                runs[Lane.LEXICAL, wording] = partial(self._by_words, wording)
            if self.question.mode is not Mode.LEXICAL and self.embedder is not None:
                runs[Lane.SEMANTIC, wording] = partial(self._by_meaning, wording)
        return runs

    def _reports(self, answers: Mapping[tuple[Lane, Wording], LaneAnswer]) -> Mapping[Lane, LaneReport]:
        """Return how the lanes fared with the question's own wording."""
        own = self._wordings[0]
        return {
            lane: answers[lane, own].report if (lane, own) in answers else skipped(self._why_not()) for lane in Lane
        }

    def _why_not(self) -> str:
        mode = self.question.mode
        return "There is no embedder" if mode is Mode.HYBRID else f"The mode is {mode}"

    def _extent_of(self, tx: Transaction, reach: Reach) -> Extent:
        # Counted by the lane that comes first. None waits for another one: what hangs would take both with it.
        extent = self._extent
        if extent is None:
            extent = self._extent = store.find_extent(tx, reach)
        return extent

    def _by_words(self, wording: Wording) -> Sequence[Candidate]:
        with self.transaction() as tx:
            is_own = wording is self._wordings[0]
            weighed = self.weigh(tx) if is_own else self._weigh(tx, wording.text)
            found = find_by_words(
                tx,
                self.reach,
                question=weighed,
                level=self.question.level,
                limit=self._depth,
                sure=max(self.question.limit, _SURE),
                space_id=self.contents.space_id if self.question.mode is Mode.HYBRID else None,
                extent_of=self._extent_of,
            )
        if not found:
            # A word of what the asker may not read is told from one that nobody wrote neither by this nor by scores.
            raise LaneSkipped("Nothing that may be found has the question's words")
        return found

    def _by_meaning(self, wording: Wording) -> Sequence[Candidate]:
        vector = question_vector(self.embedder, wording.text) if self.embedder else None
        if self.embedder is None or vector is None:
            raise LaneSkipped("The question has no usable vector")
        with self.transaction() as tx:
            return find_by_meaning(
                tx,
                self.reach,
                contents=self.contents,
                vector=vector,
                level=self.question.level,
                limit=self._depth,
                extent_of=self._extent_of,
            )
