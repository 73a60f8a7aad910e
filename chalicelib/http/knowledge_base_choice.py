"""Which knowledge bases a request looks in, as bodies and addresses say it."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from chalicelib.http.routing import NIL, Call
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases.choose_knowledge_bases import choose_knowledge_bases
from chalicelib.knowledge_bases.model import Choice

KNOWLEDGE_BASE = "Only what is in one of these knowledge bases; `all` for all that the caller reaches."


def chosen_in_body(named: Sequence[UUID] | Literal["all"] | None) -> Choice | None:
    """Return the choice that a body makes."""
    if named is None or named == "all":
        return named
    return [KnowledgeBaseId(knowledge_base_id) for knowledge_base_id in named]


def chosen_in_address(named: Sequence[str]) -> Choice | None:
    """Return the choice that an address makes; what is no id answers like an absent one."""
    if not named:
        return None
    return "all" if list(named) == ["all"] else [KnowledgeBaseId(_id_of(text)) for text in named]


def ids_chosen(call: Call[Any, Any], named: Sequence[str]) -> Sequence[KnowledgeBaseId] | None:
    """Return those to look in, None for everything. Raises KnowledgeBaseNotFound, InvalidKnowledgeBase."""
    choice = chosen_in_address(named)
    if choice is None:
        return None
    chosen = choose_knowledge_bases(call.tx, principal=call.principal, workspace_id=call.workspace_id, choice=choice)
    return chosen.knowledge_base_ids


def _id_of(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return NIL
