"""Checks retrieval settings, writes them as JSON, and reads them back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chalicelib.items.clean_filters import clean_filters
from chalicelib.items.model import ItemClass, ItemFilters, ItemKind, ItemScope, ItemStatus
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase
from chalicelib.knowledge_bases.model import Mode, RetrievalSettings

MOST_HITS = 100
_MOST_VALUES = 100
_VALUE_CHARACTERS = 200
_WORDS = ("kinds", "classes", "scopes", "statuses", "languages", "tags", "categories")
"""The filters that a knowledge base may set."""


def checked_settings(settings: RetrievalSettings) -> RetrievalSettings:
    """Return settings with clean texts and no other filters than those of words. Raises InvalidKnowledgeBase."""
    if settings.limit is not None and not 1 <= settings.limit <= MOST_HITS:
        raise InvalidKnowledgeBase(f"A search gives 1 to {MOST_HITS} hits.", field="settings")
    for name in _WORDS:
        values = getattr(settings.filters, name)
        if len(values) > _MOST_VALUES or any(len(value) > _VALUE_CHARACTERS for value in values):
            raise InvalidKnowledgeBase(
                f"A filter has at most {_MOST_VALUES} values of at most {_VALUE_CHARACTERS} characters.",
                field="settings",
            )
    cleaned = clean_filters(settings.filters)
    said: dict[str, Any] = {name: tuple(dict.fromkeys(getattr(cleaned, name))) for name in _WORDS}
    return replace(settings, filters=ItemFilters(**said))


def json_of(settings: RetrievalSettings) -> dict[str, Any]:
    """Return settings as JSON, without what they do not say."""
    said: dict[str, Any] = {name: list(map(str, getattr(settings.filters, name))) for name in _WORDS}
    said |= {name: getattr(settings, name) for name in ("mode", "limit", "rerank", "expand")}
    return {name: value for name, value in said.items() if value or value is False}


def settings_of(said: Mapping[str, Any]) -> RetrievalSettings:
    """Read settings out of JSON."""
    return RetrievalSettings(
        mode=None if said.get("mode") is None else Mode(said["mode"]),
        limit=said.get("limit"),
        rerank=said.get("rerank"),
        expand=said.get("expand"),
        filters=ItemFilters(
            kinds=tuple(map(ItemKind, said.get("kinds", ()))),
            classes=tuple(map(ItemClass, said.get("classes", ()))),
            scopes=tuple(map(ItemScope, said.get("scopes", ()))),
            statuses=tuple(map(ItemStatus, said.get("statuses", ()))),
            languages=tuple(said.get("languages", ())),
            tags=tuple(said.get("tags", ())),
            categories=tuple(said.get("categories", ())),
        ),
    )


def with_defaults(filters: ItemFilters, defaults: ItemFilters) -> ItemFilters:
    """Return filters that say what the defaults say where they say nothing themselves."""
    said: dict[str, Any] = {name: getattr(filters, name) or getattr(defaults, name) for name in _WORDS}
    return replace(filters, **said)
