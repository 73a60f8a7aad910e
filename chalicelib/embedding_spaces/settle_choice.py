"""Gives an organization its first embedding space."""

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import store
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.model import Choice
from chalicelib.embedding_spaces.promise_fill import promise_fills
from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.jobs.queue import JobQueue


def settle_choice(tx: Transaction, organization_id: OrganizationId, *, embedders: Embedders, jobs: JobQueue) -> Choice:
    """Return the organization's spaces; one that has no active space is given the default, if any is offered.

    What it has in search by then is filled. Once it has one, another default changes nothing: vectors of two models
    are never compared, and the change is somebody's to begin.
    """
    choice = store.find_choice(tx, organization_id)
    if choice.active is not None:
        return choice
    default = embedders.default
    if store.adopt_space(tx, organization_id, space=default.space if default else None) and default is not None:
        promise_fills(tx, organization_id, default.space, jobs=jobs)
    return store.find_choice(tx, organization_id)


def settle_choice_of_workspace(
    tx: Transaction, workspace_id: WorkspaceId, *, embedders: Embedders, jobs: JobQueue
) -> Choice:
    """Return the spaces of a workspace's organization in the same way; none where the workspace is gone."""
    found = store.find_choice_of_workspace(tx, workspace_id)
    if found is None:
        return Choice()
    organization_id, choice = found
    if choice.active is not None:
        return choice
    return settle_choice(tx, organization_id, embedders=embedders, jobs=jobs)
