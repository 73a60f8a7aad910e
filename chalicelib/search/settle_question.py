"""Settles what a question leaves open: by the one knowledge base that it looks in, or else as the program does."""

from dataclasses import replace

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.items.clean_filters import clean_filters
from chalicelib.knowledge_bases.choose_knowledge_bases import choose_knowledge_bases
from chalicelib.knowledge_bases.model import Mode, RetrievalSettings
from chalicelib.knowledge_bases.settings import with_defaults
from chalicelib.search.model import Question, SettledQuestion

_LIMIT = 10
_MODE = Mode.HYBRID


def settle_question(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, question: Question
) -> SettledQuestion:
    """Return the question with everything said. Raises KnowledgeBaseNotFound, InvalidKnowledgeBase."""
    settings, filters = RetrievalSettings(), question.filters
    if question.knowledge_bases is not None:
        chosen = choose_knowledge_bases(
            tx, principal=principal, workspace_id=workspace_id, choice=question.knowledge_bases
        )
        settings = chosen.settings
        filters = replace(with_defaults(filters, settings.filters), knowledge_bases=chosen.knowledge_base_ids)
    limit = settings.limit if question.limit is None else question.limit
    return SettledQuestion(
        query=question.query,
        limit=_LIMIT if limit is None else limit,
        mode=question.mode or settings.mode or _MODE,
        level=question.level,
        filters=clean_filters(filters),
        expand=bool(settings.expand if question.expand is None else question.expand),
        rerank=bool(settings.rerank if question.rerank is None else question.rerank),
        half_life=question.half_life,
        neighbours=question.neighbours,
        explain=question.explain,
        why_not=question.why_not,
    )
