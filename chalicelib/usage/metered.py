"""Models that ask for the budget before each call and count it after: each stands before another of its port."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from chalicelib.errors import LorebaseError
from chalicelib.platform.ports import Completion, Embedded, Embedder, LanguageModel, Ranking, Reranker
from chalicelib.usage.account import Account
from chalicelib.usage.model import ModelKind


class MeteredEmbedder:
    """An embedder whose tokens are counted; its model is named by its space."""

    def __init__(self, embedder: Embedder, account: Account) -> None:
        self.space = embedder.space
        self.dimensions = embedder.dimensions
        self.languages = embedder.languages
        self._embedder = embedder
        self._account = account

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole. Raises BudgetSpent, EmbedderUnavailable."""
        self._account.require_budget()
        with _counted_failure(self._account, ModelKind.EMBED, self.space):
            embedded = self._embedder.embed_passages(texts)
        self._account.count(kind=ModelKind.EMBED, model=self.space, input_tokens=embedded.tokens)
        return embedded

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises BudgetSpent, EmbedderUnavailable."""
        self._account.require_budget()
        with _counted_failure(self._account, ModelKind.EMBED, self.space):
            embedded = self._embedder.embed_query(text)
        self._account.count(kind=ModelKind.EMBED, model=self.space, input_tokens=embedded.tokens)
        return embedded


class MeteredLanguageModel:
    """A language model whose tokens are counted.

    Whoever makes many calls at once `asks_before` the first of them, and not before each.
    """

    def __init__(self, model: LanguageModel, account: Account, *, asks_before: bool = False) -> None:
        self.name = model.name
        self._model = model
        self._account = account
        self._asks_before = asks_before

    def complete(
        self, *, instructions: str, prompt: str, schema: Mapping[str, object], output_tokens: int, seconds: float
    ) -> Completion:
        """Return an object that meets the schema. Raises BudgetSpent, and what the model raises."""
        if not self._asks_before:
            self._account.require_budget()
        with _counted_failure(self._account, ModelKind.GENERATE, self.name):
            completion = self._model.complete(
                instructions=instructions, prompt=prompt, schema=schema, output_tokens=output_tokens, seconds=seconds
            )
        self._account.count(
            kind=ModelKind.GENERATE,
            model=self.name,
            input_tokens=completion.input_tokens,
            output_tokens=completion.output_tokens,
        )
        return completion


class MeteredReranker:
    """A reranker whose tokens are counted."""

    def __init__(self, reranker: Reranker, account: Account) -> None:
        self.name = reranker.name
        self._reranker = reranker
        self._account = account

    def rank(self, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
        """Score passages. Raises BudgetSpent, RerankerUnavailable."""
        self._account.require_budget()
        with _counted_failure(self._account, ModelKind.RERANK, self.name):
            ranking = self._reranker.rank(question, passages, seconds=seconds)
        self._account.count(kind=ModelKind.RERANK, model=self.name, input_tokens=ranking.tokens)
        return ranking


@contextmanager
def _counted_failure(account: Account, kind: ModelKind, model: str) -> Iterator[None]:
    """Count what a call used that came to nothing, where its error says so in `input_tokens` and `output_tokens`."""
    try:
        yield
    except LorebaseError as error:
        read, written = (error.members.get(name) for name in ("input_tokens", "output_tokens"))
        if isinstance(read, int) or isinstance(written, int):
            account.count(
                kind=kind,
                model=model,
                input_tokens=read if isinstance(read, int) else 0,
                output_tokens=written if isinstance(written, int) else 0,
            )
        raise
