"""Tells how far a workspace's documents are described, and what the rest would take."""

from dataclasses import dataclass
from datetime import datetime

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.index import contexts_store
from chalicelib.index.context_prompt import CHARACTERS_A_TOKEN, INSTRUCTIONS, SUMMARY_TOKENS
from chalicelib.index.contexts_store import Counts, Undescribed

_WRITTEN_TOKENS = 90
"""What a summary of 60 words takes with the JSON around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Tokens that the language model would read and write, and the embedder read anew; rather too many than too few."""

    input_tokens: int
    output_tokens: int
    embedded_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """How a workspace stands: since when its documents are described, if they are, and how far that is."""

    since: datetime | None
    counts: Counts
    estimate: Estimate


def read_contexts(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, input_tokens: int) -> Contexts:
    """Return how far it is, in numbers over all items, which owners alone may see."""
    authorize(principal, workspace_id, Action.MANAGE)
    counts = contexts_store.count_contexts(tx, workspace_id)
    left = contexts_store.measure_undescribed(tx, workspace_id, most_bytes=input_tokens * CHARACTERS_A_TOKEN)
    return Contexts(
        since=contexts_store.find_setting(tx, workspace_id),
        counts=counts,
        estimate=estimate_of(left, items=counts.undescribed),
    )


def estimate_of(left: Undescribed, *, items: int) -> Estimate:
    """Return what it takes to describe so many items and to embed their chunks with what is said of them."""
    return Estimate(
        input_tokens=left.bytes // CHARACTERS_A_TOKEN + items * len(INSTRUCTIONS) // CHARACTERS_A_TOKEN,
        output_tokens=items * _WRITTEN_TOKENS,
        embedded_tokens=left.chunk_tokens + left.chunks * SUMMARY_TOKENS,
    )
