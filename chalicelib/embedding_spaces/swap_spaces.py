"""Ends a change of embedding space: by a swap to the filled one, back to the former one, or by giving it up."""

from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import store
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.errors import (
    EmbeddingChangeNotFound,
    EmbeddingChangeNotReady,
    EmbeddingChangeRunning,
    FormerSpaceNotFound,
)
from chalicelib.embedding_spaces.model import ChangeState, Choice
from chalicelib.embedding_spaces.promise_fill import promise_fills, promise_forgetting
from chalicelib.embedding_spaces.read_progress import read_progress
from chalicelib.embedding_spaces.start_change import record_choice, require_offered
from chalicelib.identity.model import OrganizationId, Principal
from chalicelib.identity.rights import Action, authorize_organization
from chalicelib.jobs.queue import JobQueue


def swap_to_filled(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    embedders: Embedders,
    jobs: JobQueue,
) -> Choice:
    """Let the organization search in the space that was filled, from the next request on.

    The one before is kept and still written to, so that the swap can be undone; what was kept until now is forgotten.
    Raises EmbeddingChangeNotFound, EmbeddingChangeNotReady, EmbeddingSpaceUnknown.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    choice = store.lock_choice(tx, organization_id)
    filling = _filling(choice)
    require_offered(filling, embedders)
    progress = read_progress(tx, organization_id, space=filling)
    if progress.state is not ChangeState.READY:
        raise EmbeddingChangeNotReady(
            f"{filling} is {progress.state}: {progress.chunks_done} of {progress.chunks_total} chunks have their"
            f" vectors, {progress.chunks_failed} failed. It can be swapped to once it is ready.",
            state=str(progress.state),
            chunks_done=progress.chunks_done,
            chunks_total=progress.chunks_total,
            chunks_failed=progress.chunks_failed,
        )
    swapped = Choice(active=filling, former=choice.active)
    store.put_choice(tx, organization_id, swapped)
    if choice.former is not None:
        promise_forgetting(tx, organization_id, choice.former, jobs=jobs)
    record_choice(tx, principal, ActivityAction.EMBEDDING_SPACE_SWAPPED, before=choice, after=swapped)
    return swapped


def roll_back(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    embedders: Embedders,
    jobs: JobQueue,
) -> Choice:
    """Let the organization search in its former space again, from the next request on, and keep the other likewise.

    What the former space missed while its embedder was away is filled in.
    Raises FormerSpaceNotFound, EmbeddingChangeRunning, EmbeddingSpaceUnknown.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    choice = store.lock_choice(tx, organization_id)
    former = _former(choice)
    require_offered(former, embedders)
    returned = Choice(active=former, former=choice.active)
    store.put_choice(tx, organization_id, returned)
    promise_fills(tx, organization_id, former, jobs=jobs)
    record_choice(tx, principal, ActivityAction.EMBEDDING_SPACE_ROLLED_BACK, before=choice, after=returned)
    return returned


def cancel_change(tx: Transaction, *, principal: Principal, organization_id: OrganizationId, jobs: JobQueue) -> Choice:
    """Give up the change that is under way; the vectors that it made are forgotten. Raises EmbeddingChangeNotFound."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    choice = store.lock_choice(tx, organization_id)
    filling = _filling(choice)
    kept = Choice(choice.active, None, choice.former)
    store.put_choice(tx, organization_id, kept)
    promise_forgetting(tx, organization_id, filling, jobs=jobs)
    record_choice(tx, principal, ActivityAction.EMBEDDING_CHANGE_CANCELLED, before=choice, after=kept)
    return kept


def forget_former(tx: Transaction, *, principal: Principal, organization_id: OrganizationId, jobs: JobQueue) -> Choice:
    """Keep the former space no longer; there is no way back but another change. Raises FormerSpaceNotFound."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    choice = store.lock_choice(tx, organization_id)
    if choice.former is None:
        raise FormerSpaceNotFound("There is no former embedding space to forget.")
    kept = Choice(choice.active, choice.filling, None, choice.filling_since)
    store.put_choice(tx, organization_id, kept)
    promise_forgetting(tx, organization_id, choice.former, jobs=jobs)
    record_choice(tx, principal, ActivityAction.EMBEDDING_SPACE_FORGOTTEN, before=choice, after=kept)
    return kept


def _filling(choice: Choice) -> str:
    if choice.filling is None:
        raise EmbeddingChangeNotFound("No embedding space is being filled.")
    return choice.filling


def _former(choice: Choice) -> str:
    if choice.former is None:
        raise FormerSpaceNotFound("There is no former embedding space to go back to.")
    if choice.filling is not None:
        raise EmbeddingChangeRunning(
            f"{choice.filling} is being filled; cancel that change first.", space=choice.filling
        )
    return choice.former
