"""Models of providers that fail at once while their provider is out of reach; each stands before one of its port."""

from collections.abc import Mapping, Sequence

from chalicelib.platform.breaker import Breaker
from chalicelib.platform.embedding_batches import Deadlines
from chalicelib.platform.ports import Completion, Embedded, Embedder, LanguageModel, Ranking, Reranker


class GuardedEmbedder:
    """An embedder behind a breaker; what fails for passages was shown to fail for any text."""

    def __init__(self, embedder: Embedder, breaker: Breaker, *, deadlines: Deadlines) -> None:
        self.space = embedder.space
        self.dimensions = embedder.dimensions
        self.languages = embedder.languages
        self._embedder = embedder
        self._breaker = breaker
        self._deadlines = deadlines

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole. Raises EmbedderUnavailable."""
        with self._breaker.call(seconds=self._deadlines.passages):
            return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises EmbedderUnavailable."""
        with self._breaker.call(seconds=self._deadlines.query, content=hash(text)):
            return self._embedder.embed_query(text)


class GuardedLanguageModel:
    """A language model behind a breaker."""

    def __init__(self, model: LanguageModel, breaker: Breaker) -> None:
        self.name = model.name
        self._model = model
        self._breaker = breaker

    def complete(
        self, *, instructions: str, prompt: str, schema: Mapping[str, object], output_tokens: int, seconds: float
    ) -> Completion:
        """Return an object that meets the schema. Raises LanguageModelUnavailable, LanguageModelAnswerRefused."""
        with self._breaker.call(seconds=seconds, content=hash(prompt)):
            return self._model.complete(
                instructions=instructions, prompt=prompt, schema=schema, output_tokens=output_tokens, seconds=seconds
            )


class GuardedReranker:
    """A reranker behind a breaker."""

    def __init__(self, reranker: Reranker, breaker: Breaker) -> None:
        self.name = reranker.name
        self._reranker = reranker
        self._breaker = breaker

    def rank(self, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
        """Score at most 100 passages. Raises RerankerUnavailable."""
        with self._breaker.call(seconds=seconds, content=hash((question, *passages))):
            return self._reranker.rank(question, passages, seconds=seconds)
