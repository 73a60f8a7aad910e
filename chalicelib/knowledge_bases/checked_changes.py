"""Checks what people say of a knowledge base."""

import unicodedata
from dataclasses import replace

from chalicelib.items.hygiene import clean_text
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase
from chalicelib.knowledge_bases.model import DESCRIPTION_CHARACTERS, NAME_CHARACTERS, Changes
from chalicelib.knowledge_bases.settings import checked_settings

_FORBIDDEN_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}


def checked_changes(changes: Changes) -> Changes:
    """Return changes with a checked name, a clean description and checked settings. Raises InvalidKnowledgeBase."""
    return replace(
        changes,
        name=None if changes.name is None else _checked_name(changes.name),
        description=None if changes.description is None else _checked_description(changes.description),
        settings=None if changes.settings is None else checked_settings(changes.settings),
    )


def _checked_name(name: str) -> str:
    checked = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(checked) <= NAME_CHARACTERS or any(
        unicodedata.category(character) in _FORBIDDEN_CATEGORIES for character in checked
    ):
        raise InvalidKnowledgeBase(
            f"A name has 1 to {NAME_CHARACTERS} characters, none of them a control character.", field="name"
        )
    return checked


def _checked_description(description: str) -> str:
    checked, _ = clean_text(description)
    if len(checked) > DESCRIPTION_CHARACTERS:
        raise InvalidKnowledgeBase(
            f"A description has at most {DESCRIPTION_CHARACTERS} characters.", field="description"
        )
    return checked
