"""Embeds batches and single questions for the other functions, and nothing else."""

import base64
import os
from pathlib import Path
from typing import Any

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.embedder import LocalEmbedder, cached_model_folder
from chalicelib.settings import load_settings

MOST_TEXTS = 512
MOST_CHARACTERS = 4_000_000

_embedder = LocalEmbedder(load_settings().model_folder or cached_model_folder(Path("~/.cache").expanduser()))
if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    _embedder.embed_query("warm-up")


def handle(event: dict[str, Any], _context: object = None) -> dict[str, Any]:
    """Answer {"texts": […], "purpose": "passage" | "query"} with little-endian float32 rows, or an error."""
    texts, purpose = event.get("texts"), event.get("purpose", "passage")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return _error("texts-malformed", "texts must be a list of strings.")
    if purpose not in {"passage", "query"}:
        return _error("purpose-unknown", "purpose must be passage or query.")
    if len(texts) > MOST_TEXTS or sum(map(len, texts)) > MOST_CHARACTERS:
        return _error("request-too-large", f"At most {MOST_TEXTS} texts of {MOST_CHARACTERS} characters in all.")
    try:
        vectors = _embedder.embed_passages(texts)
    except EmbedderUnavailable as problem:
        return _error(problem.problem_type(), problem.detail)
    rows = base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")
    return {"space": _embedder.space, "vectors": rows, "shape": list(vectors.shape)}


def _error(kind: str, detail: str) -> dict[str, Any]:
    return {"error": {"type": kind, "detail": detail}}
