"""Embeds batches and single questions for the other functions, and nothing else."""

import base64
from functools import cache
from typing import Any

from chalicelib.errors import LorebaseError
from chalicelib.platform.local.embedder import LocalEmbedder, local_embedder
from chalicelib.settings import load_settings

MOST_TEXTS = 512


@cache
def _embedder() -> LocalEmbedder:
    settings = load_settings()
    return local_embedder(settings.model_folder, settings.cache_folder)


if load_settings().platform == "aws":
    # Lambda gives a starting function more processor than a first request gets.
    _embedder().embed_query("warm-up")


def handle(event: dict[str, Any], _context: object = None) -> dict[str, Any]:
    """Answer {"texts": […], "purpose": "passage" | "query"} with little-endian float32 rows, or an error."""
    texts, purpose = event.get("texts"), event.get("purpose", "passage")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return _error("texts-malformed", "texts must be a list of strings.")
    if len(texts) > MOST_TEXTS:
        return _error("too-many-texts", f"At most {MOST_TEXTS} texts a request.")
    try:
        match purpose:
            case "passage":
                vectors = _embedder().embed_passages(texts)
            case "query" if len(texts) == 1:
                vectors = _embedder().embed_query(texts[0])
            case _:
                return _error("purpose-unknown", "purpose must be passage, or query with one text.")
    except LorebaseError as problem:
        return _error(problem.problem_type(), problem.detail)
    rows = base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")
    return {"space": _embedder().space, "vectors": rows, "shape": list(vectors.shape)}


def _error(kind: str, detail: str) -> dict[str, Any]:
    return {"error": {"type": kind, "detail": detail}}
