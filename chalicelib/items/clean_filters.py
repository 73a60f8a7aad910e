"""Passes filters through the hygiene of what they are compared with, so that they find it however it was typed."""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from chalicelib.items.hygiene import clean_json, clean_line
from chalicelib.items.model import ItemFilters


def clean_filters(filters: ItemFilters) -> ItemFilters:
    """Return filters whose every text can be bound to a statement; what no item can have finds nothing."""
    metadata, _ = clean_json(dict(filters.metadata))
    return replace(
        filters,
        languages=_clean_lines(filters.languages),
        tags=_clean_lines(filters.tags),
        categories=_clean_lines(filters.categories),
        folder=_clean_path(filters.folder),
        path=_clean_path(filters.path),
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def _clean_lines(texts: Sequence[str]) -> Sequence[str]:
    return tuple(clean_line(text) for text in texts)


def _clean_path(path: str | None) -> str | None:
    """Replace rather than remove: a folder of which nothing is left would be the root."""
    if path is None:
        return None
    text = path.replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFC", text)
