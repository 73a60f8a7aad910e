"""Embeds batches and single questions for the other functions, and nothing else."""

import base64
import logging
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from chalicelib.errors import LorebaseError
from chalicelib.settings import load_settings
from chalicelib.telemetry.correlation import correlated, correlation_id_of
from chalicelib.telemetry.log_lines import JsonLines, write_log_lines
from chalicelib.telemetry.metric_names import Metric
from chalicelib.telemetry.metrics import Metrics
from functions.embed.served_model import ServedModel, load_model

MOST_TEXTS = 512
_LOGGER = logging.getLogger(__name__)


class EmbeddingFailed(Exception):
    """The model failed; the log says where. Lambda's runtime writes messages out, so this one's quotes no text."""


@cache
def _model() -> ServedModel:
    settings = load_settings()
    return load_model(settings.model_folder or Path("/opt/model"), engine=settings.embed_engine)


@cache
def _metrics() -> Metrics:
    settings = load_settings()
    return Metrics(stage=settings.stage, is_on=settings.metrics == "emf")


if load_settings().platform == "aws":
    write_log_lines(JsonLines(), level=load_settings().log_level)
    # Lambda gives a starting function more processor than a first request gets.
    _model().embed(["warm-up"], "query")


def handle(event: Mapping[str, Any], _context: object = None) -> Mapping[str, Any]:
    """Answer {"texts": […], "purpose": "passage" | "query"} with little-endian float32 rows, or an error.

    `tokens` is how many were read. An error is an answer too, since what raises is taken for a defect and repeated.
    Log lines bear the `correlation_id` of the event. Raises EmbeddingFailed.
    """
    with correlated(correlation_id_of(event.get("correlation_id"))):
        try:
            return _answer(event)
        except Exception as error:
            _LOGGER.exception("Texts could not be embedded.")
            raise EmbeddingFailed(type(error).__name__) from None


def _answer(event: Mapping[str, Any]) -> Mapping[str, Any]:
    texts, purpose = event.get("texts"), event.get("purpose", "passage")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return _error("texts-malformed", "texts must be a list of strings.")
    if len(texts) > MOST_TEXTS:
        return _error("too-many-texts", f"At most {MOST_TEXTS} texts a request.")
    if purpose not in {"passage", "query"} or (purpose == "query" and len(texts) != 1):
        return _error("purpose-unknown", "purpose must be passage, or query with one text.")
    try:
        embedded = _model().embed(texts, purpose)
    except LorebaseError as problem:
        return _error(problem.problem_type(), problem.detail)
    _metrics().write({Metric.EMBEDDED_TEXTS: len(texts), Metric.EMBEDDING_TOKENS: embedded.tokens})
    vectors = embedded.vectors
    rows = base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")
    return {"space": _model().space, "vectors": rows, "shape": list(vectors.shape), "tokens": embedded.tokens}


def _error(kind: str, detail: str) -> Mapping[str, Any]:
    return {"error": {"type": kind, "detail": detail}}
