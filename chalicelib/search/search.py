"""Answers a question with ranked passages that can be cited, within what the asker may read."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from chalicelib.access.readers import audiences_of
from chalicelib.database.database import Database
from chalicelib.database.transaction import Row, Transaction
from chalicelib.errors import Unavailable
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import ItemClass, ItemKind
from chalicelib.knowledge_bases.model import Mode
from chalicelib.knowledge_bases.settings import MOST_HITS
from chalicelib.platform.ports import Embedder
from chalicelib.search import store
from chalicelib.search.confidence import is_weak
from chalicelib.search.errors import QueryEmpty, QueryTooLong, SearchRefused
from chalicelib.search.fusion import Fused, fuse
from chalicelib.search.lanes import LaneAnswer, LaneSkipped, run_lanes, skipped
from chalicelib.search.lexical import WeighedQuestion, find_by_words, weigh_question
from chalicelib.search.model import (
    Candidate,
    Hit,
    Lane,
    LaneState,
    Question,
    SearchAnswer,
    SettledQuestion,
)
from chalicelib.search.semantic import find_by_meaning, question_vector
from chalicelib.search.settle_question import settle_question
from chalicelib.search.snippets import snippet_of
from chalicelib.search.store import Reach

_DEPTH = 100
"""Candidates that a lane gives at least, so that what one lane puts low can still rise by the other's word."""

_LOOKS = 3
"""A chunk that was swapped for its successor since the lanes ran makes us look again."""

_SURE = 20
"""Places of the lexical lane that are exact at least."""


class SearchUnavailable(Unavailable):
    """No search lane answered in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRules:
    """How long questions may be, and how long a lane may take."""

    query_characters: int = 2000
    lane_seconds: float = 5.0


def search(
    *,
    database: Database,
    principal: Principal,
    workspace_id: WorkspaceId,
    question: Question,
    embedder: Embedder | None,
    rules: SearchRules,
) -> SearchAnswer:
    """Return the hits, the best first. Any string that is not blank or too long is a question.

    A lane that is late or out of reach is left out, and the answer says so. Raises QueryEmpty, QueryTooLong,
    SearchRefused, WorkspaceNotFound, ActionForbidden, KnowledgeBaseNotFound, InvalidKnowledgeBase, and
    SearchUnavailable where no lane was left.
    """
    started = time.monotonic()
    authorize(principal, workspace_id, Action.READ)
    query = checked_query(question.query, rules=rules)
    with database.transaction() as tx:
        audiences = audiences_of(tx, principal, workspace_id)
        settled = settle_question(tx, principal, workspace_id, question)
    _check_means(settled, embedder=embedder)
    reach = Reach(workspace_id, audiences, settled.filters)
    asked = _Asked(database, reach, question=settled, query=query, embedder=embedder, rules=rules)
    for _ in range(_LOOKS):
        answers, fused = _look(asked, settled, embedder=embedder, rules=rules)
        hits = asked.hits(fused)
        if len(hits) == len(fused):
            break
    return SearchAnswer(
        question=settled,
        hits=hits,
        lanes={lane: answers[lane].report if lane in answers else skipped(_why_not(settled)) for lane in Lane},
        milliseconds=(time.monotonic() - started) * 1000,
    )


def _look(
    asked: "_Asked", question: SettledQuestion, *, embedder: Embedder | None, rules: SearchRules
) -> tuple[Mapping[Lane, LaneAnswer], Sequence[Fused]]:
    """Run the lanes once and fuse what they find. Raises SearchUnavailable."""
    answers = run_lanes(asked.runs(), seconds=rules.lane_seconds)
    if all(answer.report.state is LaneState.DROPPED for answer in answers.values()):
        reasons = {str(lane): answer.report.reason for lane, answer in answers.items()}
        raise SearchUnavailable("No search lane answered in time; try again.", lanes=reasons)
    fused = fuse(
        {lane: answer.candidates for lane, answer in answers.items() if answer.report.state is LaneState.OK},
        level=question.level,
        understood=embedder.languages if embedder else None,
        limit=question.limit,
    )
    return answers, fused


def checked_query(query: str, *, rules: SearchRules) -> str:
    """Return the question as text that can be stored and embedded."""
    if len(query) > rules.query_characters:
        raise QueryTooLong(
            f"A question has at most {rules.query_characters} characters and this one has {len(query)};"
            " ask for the gist of it.",
            limit=rules.query_characters,
            length=len(query),
        )
    checked = query.replace("\x00", " ").encode("utf-8", "replace").decode()
    if not checked.strip():
        raise QueryEmpty("Ask something: the question has no characters that can be seen.")
    return checked


def _check_means(question: SettledQuestion, *, embedder: Embedder | None) -> None:
    if not 1 <= question.limit <= MOST_HITS:
        raise SearchRefused(f"A search gives 1 to {MOST_HITS} hits.", limit=question.limit)
    if question.mode is Mode.SEMANTIC and embedder is None:
        raise SearchRefused("There is no embedder here; search in the mode lexical.", mode=str(question.mode))


def _why_not(question: SettledQuestion) -> str:
    return "There is no embedder" if question.mode is Mode.HYBRID else f"The mode is {question.mode}"


class _Asked:
    """One question on its way: what its lanes run, and the hits that are made of what they find."""

    def __init__(
        self,
        database: Database,
        reach: Reach,
        *,
        question: SettledQuestion,
        query: str,
        embedder: Embedder | None,
        rules: SearchRules,
    ) -> None:
        self._database, self._reach, self._embedder, self._rules = database, reach, embedder, rules
        self._question, self._query = question, query
        self._depth = max(_DEPTH, 2 * question.limit)
        self._weighed: WeighedQuestion | None = None

    def runs(self) -> Mapping[Lane, Callable[[], Sequence[Candidate]]]:
        """Return the lanes of the question's mode."""
        runs: dict[Lane, Callable[[], Sequence[Candidate]]] = {}
        if self._question.mode is not Mode.SEMANTIC:
            runs[Lane.LEXICAL] = self._lexical
        if self._question.mode is not Mode.LEXICAL and self._embedder is not None:
            runs[Lane.SEMANTIC] = self._semantic
        return runs

    def hits(self, fused: Sequence[Fused]) -> Sequence[Hit]:
        """Read what the chosen chunks say; one that went away or out of reach since the lanes ran is no hit."""
        if not fused:
            return []
        with self._transaction() as tx:
            rows = store.read_hits(tx, self._reach, [one.chunk_id for one in fused])
            weighed = self._weighed or weigh_question(tx, self._reach.workspace_id, self._query)
        space = self._embedder.space if self._embedder else None
        return [
            _hit(rows[one.chunk_id], one, weighed.worth_by_term, space=space) for one in fused if one.chunk_id in rows
        ]

    def _lexical(self) -> Sequence[Candidate]:
        with self._transaction() as tx:
            weighed = self._weighed = weigh_question(tx, self._reach.workspace_id, self._query)
            found = find_by_words(
                tx,
                self._reach,
                question=weighed,
                level=self._question.level,
                limit=self._depth,
                sure=max(self._question.limit, _SURE),
            )
        if not found:
            # A word of what the asker may not read is told from one that nobody wrote neither by this nor by scores.
            raise LaneSkipped("Nothing that may be found has the question's words")
        return found

    def _semantic(self) -> Sequence[Candidate]:
        vector = question_vector(self._embedder, self._query) if self._embedder else None
        if self._embedder is None or vector is None:
            raise LaneSkipped("The question has no usable vector")
        with self._transaction() as tx:
            return find_by_meaning(
                tx,
                self._reach,
                space=self._embedder.space,
                vector=vector,
                level=self._question.level,
                limit=self._depth,
            )

    @contextmanager
    def _transaction(self) -> Iterator[Transaction]:
        with self._database.transaction() as tx:
            store.limit_time(tx, seconds=self._rules.lane_seconds)
            yield tx


def _hit(row: Row, fused: Fused, worth_by_term: Mapping[str, float], *, space: str | None) -> Hit:
    return Hit(
        item_id=row["item_id"],
        chunk_id=row["chunk_id"],
        revision=row["revision"],
        path=row["path"],
        title=row["title"],
        kind=ItemKind(row["kind"]),
        item_class=ItemClass(row["class"]),
        heading_path=row["heading_path"],
        page=row["page"],
        span=(row["body_start"], row["body_end"]),
        snippet=snippet_of(
            row["text"], language=row["language"], worth_by_term=worth_by_term, heading_path=row["heading_path"]
        ),
        score=round(fused.score, 6),
        lanes=fused.placings,
        is_weak=is_weak(fused.placings, space=space),
    )
