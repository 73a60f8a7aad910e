"""Shows an organization's embedding spaces, what is offered, and what a change would take."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import store
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.model import Choice, Estimate, Progress
from chalicelib.embedding_spaces.read_progress import read_progress
from chalicelib.embedding_spaces.start_change import require_offered, require_other
from chalicelib.identity.model import OrganizationId, Principal
from chalicelib.identity.rights import Action, authorize_organization, is_allowed_organization
from chalicelib.usage.estimate import estimate_run
from chalicelib.usage.model import Counts
from chalicelib.usage.prices import Prices

EMBEDDED_TO_TEXT = 1.1
"""What is embedded of a chunk, to its text: title and headings stand above it."""

_CHUNKS_A_CALL = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChoice:
    """Which spaces an organization has, which are offered (the default first), and how far the filling is."""

    choice: Choice
    offered: Sequence[str]
    progress: Progress | None

    @property
    def better(self) -> str | None:
        """The deployment's default, where the organization searches in another space or in none that is offered."""
        default = next(iter(self.offered), None)
        is_other = self.choice.active is not None and default not in (self.choice.active, self.choice.filling)
        return default if is_other else None


def read_choice(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, embedders: Embedders
) -> ShownChoice:
    """Return the organization's spaces. Raises OrganizationNotFound.

    How far the filling is tells how much there is in all workspaces: admins alone see it.
    """
    authorize_organization(principal, organization_id, Action.READ)
    choice = store.find_choice(tx, organization_id)
    progress = None
    if choice.filling is not None and is_allowed_organization(principal, organization_id, Action.ADMINISTER):
        progress = read_progress(tx, organization_id, space=choice.filling, since=choice.filling_since)
    return ShownChoice(choice=choice, offered=[embedder.space for embedder in embedders], progress=progress)


def estimate_change(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    space: str,
    embedders: Embedders,
    prices: Prices,
    now: datetime,
) -> Estimate:
    """Return what it would take to fill a space.

    A change that could not be begun is refused here already, before anybody agrees to what it takes.
    Raises EmbeddingSpaceUnknown, EmbeddingSpaceChosen, EmbeddingChangeRunning.

    Tokens are counted as the chunker counts them, with a tenth for what stands above each chunk; seconds go by what
    filling the space took before, one worker at a time.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    require_offered(space, embedders)
    require_other(space, store.find_choice(tx, organization_id))
    counted = store.estimate_fill(tx, organization_id, space=space)
    chunks = counted["chunks"]
    run = estimate_run(
        tx,
        organization_id=organization_id,
        workspace_id=None,
        model=space,
        counts=Counts(-(-chunks // _CHUNKS_A_CALL), round(counted["tokens"] * EMBEDDED_TO_TEXT), 0),
        prices=prices,
        now=now,
    )
    is_known = counted["known_chunks"] > 0 and counted["known_seconds"] > 0
    seconds = chunks * counted["known_seconds"] / counted["known_chunks"] if is_known else None
    return Estimate(space=space, chunks=chunks, seconds=seconds, run=run)
