"""The stages that a question may ask for before and after the lanes, by models, and how each fared."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chalicelib.identity.model import WorkspaceId
from chalicelib.platform.ports import LanguageModel, Reranker
from chalicelib.search.expand import ExpansionRules, expand_question
from chalicelib.search.lanes import skipped
from chalicelib.search.model import LaneReport, SettledQuestion, Stage
from chalicelib.search.ordering import Ordered
from chalicelib.search.rerank import RerankRules
from chalicelib.search.rerank_by_language_model import JudgingLanguageModel
from chalicelib.search.rerank_candidates import rerank_candidates
from chalicelib.search.retrieval import Retrieval, Wording
from chalicelib.usage.metered import MeteredLanguageModel, MeteredReranker
from chalicelib.usage.metering import Metering
from chalicelib.usage.model import Purpose

WORDING_WEIGHT = 0.3
"""What another wording counts beside the question's own: three together count less than it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchModels:
    """The models that a search may ask. Without `metering` nobody counts their tokens."""

    language_model: LanguageModel | None = None
    reranker: Reranker | None = None
    metering: Metering | None = None

    def writer_for(self, workspace_id: WorkspaceId) -> LanguageModel | None:
        """Return what words questions anew."""
        if self.language_model is None or self.metering is None:
            return self.language_model
        account = self.metering.account(Purpose.EXPANSION, workspace_id=workspace_id)
        return MeteredLanguageModel(self.language_model, account)

    def judge_for(self, workspace_id: WorkspaceId) -> Reranker | None:
        """Return what judges passages: the reranker, or else the language model."""
        account = self.metering.account(Purpose.RERANK, workspace_id=workspace_id) if self.metering else None
        if self.reranker is not None:
            return MeteredReranker(self.reranker, account) if account else self.reranker
        if self.language_model is None or account is None:
            return None if self.language_model is None else JudgingLanguageModel(self.language_model)
        counted = MeteredLanguageModel(self.language_model, account, asks_before=True)
        return JudgingLanguageModel(counted, before=account.require_budget)


@dataclass(slots=True, kw_only=True)
class Stages:
    """The stages of one search. `reports` are of those that were asked for."""

    models: SearchModels
    workspace_id: WorkspaceId
    question: SettledQuestion
    expansion: ExpansionRules
    rerank: RerankRules
    reports: dict[Stage, LaneReport] = field(default_factory=dict)

    def wordings(self, query: str) -> Sequence[Wording]:
        """Return the question, and where that is asked for other wordings of it, which count less."""
        own = Wording(query)
        if not self.question.expand:
            return [own]
        model = self.models.writer_for(self.workspace_id)
        if model is None:
            self.reports[Stage.EXPANSION] = skipped("There is no language model")
            return [own]
        expansion = expand_question(query, model=model, rules=self.expansion)
        self.reports[Stage.EXPANSION] = replace(expansion.report, wordings=expansion.reformulations)
        return [own, *(Wording(text, WORDING_WEIGHT) for text in expansion.reformulations)]

    def reranked(self, retrieval: Retrieval, ordered: Sequence[Ordered], *, query: str) -> Sequence[Ordered]:
        """Return the candidates in their order, where that is asked for as a judge sees them."""
        if not self.question.rerank:
            return ordered
        judge = self.models.judge_for(self.workspace_id)
        if judge is None:
            self.reports[Stage.RERANK] = skipped("There is neither a reranker nor a language model")
            return ordered
        reranked = rerank_candidates(retrieval, ordered, query=query, reranker=judge, rules=self.rerank)
        self.reports[Stage.RERANK] = reranked.report
        return reranked.ordered
