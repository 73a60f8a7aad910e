"""Turns what a question says of knowledge bases into those to look in, and the settings to look with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases import store
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase, KnowledgeBaseNotFound
from chalicelib.knowledge_bases.find_knowledge_base import find_knowledge_base
from chalicelib.knowledge_bases.model import Choice, RetrievalSettings

MOST_CHOSEN = 100
"""Knowledge bases that one question names at most."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Knowledge bases that the asker sees, and the settings that hold: its own where it is exactly one that is named.

    With several, or with all, none hold: whose would be chance, and would change with what somebody comes to see.
    """

    knowledge_base_ids: Sequence[KnowledgeBaseId]
    settings: RetrievalSettings


def choose_knowledge_bases(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, choice: Choice
) -> Chosen:
    """Return those that are named, or all that the principal reaches; none of them may be unseen.

    Raises WorkspaceNotFound, ActionForbidden, InvalidKnowledgeBase, KnowledgeBaseNotFound.
    """
    authorize(principal, workspace_id, Action.READ)
    if choice == "all":
        return Chosen(store.list_visible_ids(tx, principal, workspace_id, named=None), RetrievalSettings())
    named = _distinct(choice)
    if len(named) == 1:
        found = find_knowledge_base(tx, principal, workspace_id, named[0])
        return Chosen(named, found.settings)
    if len(store.list_visible_ids(tx, principal, workspace_id, named=named)) < len(named):
        raise KnowledgeBaseNotFound("There is no such knowledge base.")
    return Chosen(named, RetrievalSettings())


def _distinct(choice: Sequence[KnowledgeBaseId] | Literal["all"]) -> Sequence[KnowledgeBaseId]:
    named = [] if choice == "all" else list(dict.fromkeys(choice))
    if not 1 <= len(named) <= MOST_CHOSEN:
        raise InvalidKnowledgeBase(f"Name 1 to {MOST_CHOSEN} knowledge bases, or say `all`.", limit=MOST_CHOSEN)
    return named
