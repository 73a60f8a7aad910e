"""Reranks by Amazon Bedrock: Cohere Rerank 3.5 and Amazon Rerank 1.0.

docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html
"""

from collections.abc import Mapping, Sequence
from functools import partial

from chalicelib.platform.aws.bedrock_api import BedrockApi
from chalicelib.platform.patience import Pace, Patience
from chalicelib.platform.pieces import cleaned, has_meaning
from chalicelib.platform.ports import Ranking
from chalicelib.platform.provider_calls import CallFailed, Outcome
from chalicelib.platform.relevance import TRIES, ranking_of, read_scores, readable_passages, unavailable

# A text may have 32,000 characters; the models read 4,096 tokens of question and passage, and cut by themselves.
_CHARACTERS = 16_000
_MOST_PAGES = 20


class BedrockReranker:
    """One model by its name or ARN; threads may share it."""

    def __init__(self, api: BedrockApi, model: str, *, name: str, pace: Pace | None = None) -> None:
        self.name = name
        self._api = api
        self._model_arn = _arn(model, api.region)
        self._pace = pace or Pace()

    def rank(self, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
        """Score at most 100 passages; long ones are cut to what the model reads. Raises RerankerUnavailable."""
        sent = readable_passages(passages, characters=_CHARACTERS)
        asked = cleaned(question)[:_CHARACTERS]
        if not sent or not has_meaning(asked):
            return Ranking(scores=[0.0] * len(passages), tokens=0)
        patience = Patience(seconds, self._pace, seconds_a_call=seconds)
        try:
            scores = self._scores(self._fields(asked, list(sent.values())), len(sent), patience)
        except CallFailed as failed:
            raise unavailable(self.name, failed) from failed
        return ranking_of(scores, question=asked, sent=sent, passages=len(passages), tokens=None)

    def _fields(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        chosen = {"numberOfResults": len(texts), "modelConfiguration": {"modelArn": self._model_arn}}
        return {
            "queries": [{"type": "TEXT", "textQuery": {"text": question}}],
            "sources": [
                {"type": "INLINE", "inlineDocumentSource": {"type": "TEXT", "textDocument": {"text": text}}}
                for text in texts
            ],
            "rerankingConfiguration": {
                "type": "BEDROCK_RERANKING_MODEL",
                "bedrockRerankingConfiguration": chosen,
            },
        }

    def _scores(self, fields: Mapping[str, object], texts: int, patience: Patience) -> dict[int, float]:
        """Read results page by page. Raises CallFailed."""
        results: list[object] = []
        page: dict[str, object] = {}
        for _ in range(_MOST_PAGES):
            answer = patience.call(partial(self._page, {**fields, **page}), tries=TRIES)
            listed = answer.get("results")
            results += listed if isinstance(listed, list) else [None]
            if not isinstance(following := answer.get("nextToken"), str) or not following:
                return read_scores(results, passages=texts, names=("relevanceScore",))
            page = {"nextToken": following}
        raise CallFailed(Outcome.UNREADABLE, "gave more pages than there are results")

    def _page(self, fields: Mapping[str, object], seconds: float) -> Mapping[str, object]:
        return self._api.post("bedrock-agent-runtime", "/rerank", fields, seconds=seconds).content


def _arn(model: str, region: str) -> str:
    if model.startswith("arn:"):
        return model
    partition = "aws-us-gov" if region.startswith("us-gov-") else "aws-cn" if region.startswith("cn-") else "aws"
    return f"arn:{partition}:bedrock:{region}::foundation-model/{model}"
