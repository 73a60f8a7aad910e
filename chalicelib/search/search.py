"""Answers a question with ranked passages that can be cited, within what the asker may read."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from chalicelib.access.readers import audiences_of
from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.store import find_choice
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import ItemId
from chalicelib.knowledge_bases.model import Mode
from chalicelib.knowledge_bases.settings import MOST_HITS
from chalicelib.platform.pieces import has_meaning
from chalicelib.platform.ports import Embedder
from chalicelib.search.errors import QueryEmpty, QueryTooLong, SearchRefused
from chalicelib.search.expand import ExpansionRules
from chalicelib.search.explain_missing import explain_missing
from chalicelib.search.hits_store import list_ages
from chalicelib.search.model import Question, SearchAnswer, SettledQuestion
from chalicelib.search.names import folded_name
from chalicelib.search.ordering import Ordered, order_candidates
from chalicelib.search.rerank import RerankRules
from chalicelib.search.retrieval import Looked, Retrieval
from chalicelib.search.settle_question import settle_question
from chalicelib.search.show_hits import Found, read_hits, show_hits
from chalicelib.search.stages import SearchModels, Stages
from chalicelib.search.store import Reach, find_contents
from chalicelib.search.widen import MOST_NEIGHBOURS

LEAST_HALF_LIFE = 0.05
MOST_HALF_LIFE = 36_500.0

_LOOKS = 3
"""A chunk that was swapped for its successor since the lanes ran makes us look again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRules:
    """How long questions may be, how long a lane may take, and what models may do and take."""

    query_characters: int = 2000
    lane_seconds: float = 5.0
    expansion: ExpansionRules = field(default_factory=ExpansionRules)
    rerank: RerankRules = field(default_factory=RerankRules)


def search(
    *,
    database: Database,
    principal: Principal,
    workspace_id: WorkspaceId,
    question: Question,
    embedders: Embedders,
    rules: SearchRules,
    models: SearchModels | None = None,
) -> SearchAnswer:
    """Return the hits, the best first. Any string that is not blank or too long is a question.

    The question is embedded for the space that the organization searches in as the request begins, whatever is swapped
    meanwhile. A lane that is late or out of reach is left out, and the answer says so. Raises QueryEmpty, QueryTooLong,
    SearchRefused, WorkspaceNotFound, ActionForbidden, KnowledgeBaseNotFound, InvalidKnowledgeBase, ItemNotFound for one
    that is missed, and SearchUnavailable where no lane was left.
    """
    started = time.monotonic()
    authorize(principal, workspace_id, Action.READ)
    query = checked_query(question.query, rules=rules)
    with database.transaction() as tx:
        audiences = audiences_of(tx, principal, workspace_id)
        settled = settle_question(tx, principal, workspace_id, question)
        embedder = embedders.active(find_choice(tx, principal.organization_id))
        contents = find_contents(tx, workspace_id, space=embedder.space if embedder else None)
    _check_means(settled, embedder=embedder)
    # Where meaning alone is asked for, the question is nobody's name.
    name = folded_name(query) if settled.mode is not Mode.SEMANTIC else ""
    stages = Stages(
        models=models or SearchModels(),
        workspace_id=workspace_id,
        question=settled,
        expansion=rules.expansion,
        rerank=rules.rerank,
    )
    retrieval = Retrieval(
        database,
        Reach(workspace_id, audiences, settled.filters, letters=len(name)),
        question=settled,
        name=name,
        wordings=stages.wordings(query),
        embedder=embedder,
        contents=contents,
        lane_seconds=rules.lane_seconds,
    )
    for _ in range(_LOOKS):
        looked = retrieval.look()
        ordered, kept, found = _read(retrieval, stages, looked, query=query)
        if found.is_whole:
            break
    hits = show_hits(retrieval, found)
    missing = None
    if settled.why_not is not None:
        missing = explain_missing(retrieval, settled.why_not, ordered=ordered, kept=kept, shown=found.kept)
    return SearchAnswer(
        question=settled,
        hits=hits,
        lanes=looked.lanes,
        stages=stages.reports,
        missing=missing,
        space=None if embedder is None else embedder.space,
        milliseconds=(time.monotonic() - started) * 1000,
    )


def _read(
    retrieval: Retrieval, stages: Stages, looked: Looked, *, query: str
) -> tuple[Sequence[Ordered], Sequence[Ordered], Found]:
    """Return the candidates in their order, what a reranker makes of it, and what hits are made of."""
    with retrieval.transaction() as tx:
        ordered = _ordered(tx, retrieval, looked)
        if not retrieval.question.rerank:
            return ordered, ordered, read_hits(tx, retrieval, ordered)
    # Between two transactions: a model takes its time, and no connection has to wait for it.
    kept = stages.reranked(retrieval, ordered, query=query)
    with retrieval.transaction() as tx:
        return ordered, kept, read_hits(tx, retrieval, kept)


def _ordered(tx: Transaction, retrieval: Retrieval, looked: Looked) -> Sequence[Ordered]:
    half_life = retrieval.question.half_life
    item_ids = {one.item_id for one in looked.fused} if half_life is not None else set[ItemId]()
    aged = list_ages(tx, retrieval.reach, item_ids) if item_ids else {}
    return order_candidates(looked.fused, exact=looked.exact, half_life=half_life, aged=aged)


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
    if not has_meaning(checked):
        raise QueryEmpty("Ask something: the question has no characters that can be seen.")
    return checked


def _check_means(question: SettledQuestion, *, embedder: Embedder | None) -> None:
    if not 1 <= question.limit <= MOST_HITS:
        raise SearchRefused(f"A search gives 1 to {MOST_HITS} hits.", limit=question.limit)
    if not 0 <= question.neighbours <= MOST_NEIGHBOURS:
        raise SearchRefused(
            f"A hit is widened by at most {MOST_NEIGHBOURS} neighbours.", neighbours=question.neighbours
        )
    if question.half_life is not None and not MOST_HALF_LIFE >= question.half_life >= LEAST_HALF_LIFE:
        raise SearchRefused(
            f"A half-life is {LEAST_HALF_LIFE:g} to {MOST_HALF_LIFE:g} days.", half_life=question.half_life
        )
    if question.mode is Mode.SEMANTIC and embedder is None:
        raise SearchRefused(
            "No embedder of your space is offered here; search in the mode lexical.", mode=str(question.mode)
        )
