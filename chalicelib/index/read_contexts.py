"""Tells how far a workspace's documents are described, and what the rest would take."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces.read_choice import EMBEDDED_TO_TEXT
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.index import contexts_store
from chalicelib.index.context_prompt import CHARACTERS_A_TOKEN, INSTRUCTIONS, SUMMARY_TOKENS
from chalicelib.index.contexts_store import Counts, Undescribed
from chalicelib.usage.estimate import estimate_run
from chalicelib.usage.model import Counts as Calls
from chalicelib.usage.prices import Prices

_WRITTEN_TOKENS = 90
"""What a summary of 60 words takes with the JSON around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What describes here and what embeds (a model and a space, None for neither), how much is read, what it costs."""

    model: str | None
    space: str | None
    input_tokens: int
    prices: Prices
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Tokens that the language model would read and write, and the embedder read anew; rather too many than too few.

    `money` is None where a price is not known. `exceeds_budget`: a budget of the month would not suffice.
    """

    input_tokens: int
    output_tokens: int
    embedded_tokens: int
    money: Decimal | None
    currency: str
    exceeds_budget: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """How a workspace stands: since when its documents are described, if they are, and how far that is."""

    since: datetime | None
    counts: Counts
    estimate: Estimate


def read_contexts(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, means: Means) -> Contexts:
    """Return how far it is, in numbers over all items, which owners alone may see."""
    authorize(principal, workspace_id, Action.MANAGE)
    counts = contexts_store.count_contexts(tx, workspace_id)
    left = contexts_store.measure_undescribed(tx, workspace_id, most_bytes=means.input_tokens * CHARACTERS_A_TOKEN)
    written, embedded = _calls(left, items=counts.undescribed, means=means)
    runs = [
        estimate_run(
            tx,
            organization_id=principal.organization_id,
            workspace_id=workspace_id,
            model=model,
            counts=calls,
            prices=means.prices,
            now=means.now,
        )
        for model, calls in ((means.model, written), (means.space, embedded))
        if model is not None
    ]
    known = [run.money for run in runs if run.money is not None]
    return Contexts(
        since=contexts_store.find_setting(tx, workspace_id),
        counts=counts,
        estimate=Estimate(
            input_tokens=written.input_tokens,
            output_tokens=written.output_tokens,
            embedded_tokens=embedded.input_tokens,
            money=sum(known, Decimal(0)) if means.model and len(known) == len(runs) else None,
            currency=means.prices.currency,
            exceeds_budget=any(run.exceeds for run in runs),
        ),
    )


def _calls(left: Undescribed, *, items: int, means: Means) -> tuple[Calls, Calls]:
    """Return what it takes to describe so many items, and to embed their chunks with what is said of them."""
    written = Calls(
        calls=items,
        input_tokens=(left.bytes + items * len(INSTRUCTIONS)) // CHARACTERS_A_TOKEN,
        output_tokens=items * _WRITTEN_TOKENS,
    )
    if means.space is None:
        return written, Calls()
    embedded = round(left.chunk_tokens * EMBEDDED_TO_TEXT) + left.chunks * SUMMARY_TOKENS
    return written, Calls(calls=left.chunks, input_tokens=embedded)
