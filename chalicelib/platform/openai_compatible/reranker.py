"""Reranks by `POST /rerank`: as Cohere made it, and in the forms that Voyage and Text Embeddings Inference have it."""

from collections.abc import Sequence

from chalicelib.platform.dialect import Choice
from chalicelib.platform.openai_compatible.api import OpenAiApi
from chalicelib.platform.patience import Pace, Patience
from chalicelib.platform.pieces import cleaned, has_meaning
from chalicelib.platform.ports import Ranking
from chalicelib.platform.provider_calls import CallFailed, Outcome
from chalicelib.platform.relevance import TRIES, ranking_of, read_scores, readable_passages, unavailable

# What a passage of 2,048 tokens has in English; servers that cut by themselves do, and the others are given less.
_CHARACTERS = 8_000
_LEAST_CHARACTERS = 250


class OpenAiReranker:
    """One model of a server; threads may share it."""

    def __init__(self, api: OpenAiApi, model: str, *, name: str, pace: Pace | None = None) -> None:
        self.name = name
        self._api = api
        self._model = model
        self._pace = pace or Pace()
        self._characters = _CHARACTERS

    def rank(self, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
        """Score at most 100 passages; long ones are cut to what the model reads. Raises RerankerUnavailable."""
        patience = Patience(seconds, self._pace, seconds_a_call=seconds)
        characters = self._characters
        while True:
            try:
                return self._rank(cleaned(question)[:characters], passages, characters, patience)
            except CallFailed as failed:
                if failed.outcome is not Outcome.TOO_LARGE or characters <= _LEAST_CHARACTERS:
                    raise unavailable(self.name, failed) from failed
                characters //= 2
                self._characters = characters

    def _rank(self, question: str, passages: Sequence[str], characters: int, patience: Patience) -> Ranking:
        sent = readable_passages(passages, characters=characters)
        if not sent or not has_meaning(question):
            return Ranking(scores=[0.0] * len(passages), tokens=0)
        fields = {"model": self._model, "query": question}
        choices = {"documents": _documents(list(sent.values()))}
        # Text Embeddings Inference answers with the list alone.
        answer = patience.call(
            lambda left: self._api.post("/rerank", fields, choices, seconds=left, name_of_list="results"), tries=TRIES
        )
        results = answer.get("results", answer.get("data"))
        scores = read_scores(results, passages=len(sent), names=("relevance_score", "score"))
        return ranking_of(
            scores, question=question, sent=sent, passages=len(passages), tokens=_tokens(answer.get("usage"))
        )


def _documents(texts: Sequence[str]) -> Choice:
    """Return the ways to name the passages: Cohere's, Voyage's, and that of Text Embeddings Inference."""
    return Choice(
        ("top_n", "top_k", "documents", "texts"),
        (
            {"documents": texts, "top_n": len(texts)},
            {"documents": texts, "top_k": len(texts)},
            {"texts": texts, "truncate": True},
        ),
    )


def _tokens(usage: object) -> int | None:
    counts = usage if isinstance(usage, dict) else {}
    known = [counts.get(name) for name in ("total_tokens", "prompt_tokens")]
    return next((count for count in known if type(count) is int and count > 0), None)
