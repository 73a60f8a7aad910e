"""The reranker in this process: a cross-encoder whose files somebody put into a folder."""

import math
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chalicelib.platform.errors import RerankerUnavailable
from chalicelib.platform.pieces import cleaned, has_meaning
from chalicelib.platform.ports import Ranking
from chalicelib.platform.relevance import readable_passages

if TYPE_CHECKING:
    from chalicelib.platform.local.model.cross_encoder import CrossEncoder


class LocalReranker:
    """Loads its model at the first question; threads may share it.

    The folder has config.json, model.safetensors and tokenizer.json of a sequence classification of BERT's or
    XLM-RoBERTa's kind with one label, as cross-encoders are published.
    """

    def __init__(self, folder: Path) -> None:
        self.name = f"local/{folder.name}"
        self._folder = folder.expanduser()
        self._encoder: CrossEncoder | None = None
        self._loading = threading.Lock()

    def rank(self, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
        """Score passages by the model's logistic score; those without meaning have 0. Raises RerankerUnavailable.

        The time counts from the call, loading included; it is looked at before each batch of 512 tokens.
        """
        ends = time.monotonic() + seconds
        sent = readable_passages(passages)
        asked = cleaned(question)
        scores = [0.0] * len(passages)
        if not sent or not has_meaning(asked):
            return Ranking(scores=scores, tokens=0)

        def before_each() -> None:
            if time.monotonic() > ends:
                raise RerankerUnavailable(
                    f"The reranker {self.name} was not done within {seconds:g} s: give it fewer passages or more time.",
                    reranker=self.name,
                )

        judged = self._load().judge(asked, list(sent.values()), before_each=before_each)
        if not all(map(math.isfinite, judged.scores)):
            raise RerankerUnavailable(f"The reranker {self.name} gave scores that are no numbers.", reranker=self.name)
        for place, score in zip(sent, judged.scores, strict=True):
            scores[place] = score
        return Ranking(scores=scores, tokens=judged.tokens)

    def _load(self) -> "CrossEncoder":
        from chalicelib.platform.local.model.cross_encoder import (  # noqa: PLC0415 - OpenVINO takes its time
            CrossEncoder,
            CrossEncoderRefused,
        )

        with self._loading:
            if self._encoder is None:
                try:
                    self._encoder = CrossEncoder(self._folder)
                except CrossEncoderRefused as problem:
                    raise RerankerUnavailable(
                        f"There is no reranker in {self._folder}: {problem}.", reranker=self.name
                    ) from problem
            return self._encoder
