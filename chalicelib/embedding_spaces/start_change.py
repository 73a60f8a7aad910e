"""Begins the change of an organization to another embedding space, beside the one that it searches in."""

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import store
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.errors import (
    EmbeddingChangeRunning,
    EmbeddingSpaceChosen,
    EmbeddingSpaceUnknown,
)
from chalicelib.embedding_spaces.model import ChangeState, Choice
from chalicelib.embedding_spaces.promise_fill import promise_fills
from chalicelib.embedding_spaces.read_progress import read_progress
from chalicelib.embedding_spaces.settle_choice import settle_choice
from chalicelib.identity.model import OrganizationId, Principal
from chalicelib.identity.rights import Action, authorize_organization
from chalicelib.jobs.queue import JobQueue


def start_change(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    space: str,
    embedders: Embedders,
    jobs: JobQueue,
) -> Choice:
    """Promise that all of the organization's chunks get vectors in `space`; searches stay in the active one.

    Starting a change again that is blocked lets it go on, and tries what failed once more.
    Raises EmbeddingSpaceUnknown, EmbeddingSpaceChosen, EmbeddingChangeRunning.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    require_offered(space, embedders)
    settle_choice(tx, organization_id, embedders=embedders, jobs=jobs)
    choice = store.lock_choice(tx, organization_id)
    require_other(space, choice)
    if choice.filling == space and read_progress(tx, organization_id, space=space).state is not ChangeState.BLOCKED:
        raise EmbeddingChangeRunning(f"{space} is being filled already, or filled and ready to swap to.", space=space)
    former = None if choice.former == space else choice.former
    chosen = Choice(choice.active, space, former, choice.filling_since or jobs.clock.now())
    store.put_choice(tx, organization_id, chosen)
    promise_fills(tx, organization_id, space, jobs=jobs, anew=True)
    record_choice(tx, principal, ActivityAction.EMBEDDING_CHANGE_STARTED, before=choice, after=chosen)
    return chosen


def require_offered(space: str, embedders: Embedders) -> None:
    """Raise EmbeddingSpaceUnknown unless a space's embedder is offered here."""
    if embedders.find(space) is None:
        offered = [embedder.space for embedder in embedders]
        raise EmbeddingSpaceUnknown(
            f"No embedder of {space} is offered here; there is {', '.join(offered) or 'none at all'}.",
            space=space,
            offered=offered,
        )


def require_other(space: str, choice: Choice) -> None:
    """Raise EmbeddingSpaceChosen for the space that is searched, EmbeddingChangeRunning while another one is filled."""
    if space == choice.active:
        raise EmbeddingSpaceChosen(f"The organization searches in {space} already.", space=space)
    if choice.filling not in {None, space}:
        raise EmbeddingChangeRunning(
            f"{choice.filling} is being filled; swap to it or cancel that change first.", space=choice.filling
        )


def record_choice(
    tx: Transaction, principal: Principal, action: ActivityAction, *, before: Choice, after: Choice
) -> None:
    """Record how an organization's spaces changed."""
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=action,
        subject_kind=SubjectKind.ORGANIZATION,
        subject_id=principal.organization_id,
        before=_recorded(before),
        after=_recorded(after),
    )


def _recorded(choice: Choice) -> dict[str, str | None]:
    return {"active": choice.active, "filling": choice.filling, "former": choice.former}
