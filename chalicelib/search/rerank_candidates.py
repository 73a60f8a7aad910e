"""Has the best candidates judged: the stage between their order and the hits."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from chalicelib.platform.ports import Reranker
from chalicelib.search import store
from chalicelib.search.model import LaneReport, LaneState
from chalicelib.search.ordering import Ordered
from chalicelib.search.rerank import RerankRules, judge, passage_text
from chalicelib.search.retrieval import Retrieval


@dataclass(frozen=True, slots=True)
class Reranked:
    """Candidates in their order after the judge, or as they were where the report is not `ok`."""

    ordered: Sequence[Ordered]
    report: LaneReport


def rerank_candidates(
    retrieval: Retrieval, ordered: Sequence[Ordered], *, query: str, reranker: Reranker, rules: RerankRules
) -> Reranked:
    """Order candidates by relevance and drop the irrelevant; equals stay as they were, exact names stay first.

    Only what the asker may read now is judged. A score becomes the relevance, times what recency makes of it; what
    was not judged follows, with its score times `rules.least`. Where nothing is relevant, all stays and is weak.
    """
    best = ordered[: rules.passages]
    with retrieval.transaction() as tx:
        rows = store.read_hits(tx, retrieval.reach, [one.fused.chunk_id for one in best])
    readable = [one for one in best if one.fused.chunk_id in rows]
    read = [rows[one.fused.chunk_id] for one in readable]
    verdict = judge(
        query,
        [passage_text(title=row["title"], heading_path=row["heading_path"], text=row["text"]) for row in read],
        reranker=reranker,
        rules=rules,
    )
    if verdict.report.state is not LaneState.OK:
        return Reranked(ordered, verdict.report)
    if verdict.is_weak:
        return Reranked([one._replace(is_weak=True) for one in ordered], verdict.report)
    judged = [
        one._replace(score=relevance * prod(one.factors.values()), relevance=relevance, is_weak=False)
        for place, (one, relevance) in enumerate(zip(readable, verdict.relevances, strict=True))
        if verdict.is_kept(place) or one.is_exact
    ]
    judged.sort(key=lambda one: (not one.is_exact, -one.score))
    rest = [one._replace(score=one.score * rules.least) for one in ordered[rules.passages :]]
    return Reranked([*judged, *rest], verdict.report)
