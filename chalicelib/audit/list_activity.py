"""Reads the activity: of a workspace for its owners, of the whole organization for its admins."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.access.readers import audiences_of
from chalicelib.audit import store
from chalicelib.audit.model import Activity, ActivityAction, ActivityFilters, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import OrganizationId, Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize, authorize_organization


def list_workspace_activity(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    filters: ActivityFilters,
    before: UUID | None,
    limit: int,
) -> Sequence[Activity]:
    """Return entries of a workspace, the latest first, behind `before`. Raises WorkspaceNotFound, ActionForbidden.

    Entries about what is kept from its owners are left out, as if nothing had been done.
    """
    authorize(principal, workspace_id, Action.MANAGE)
    return store.list_activity(
        tx,
        organization_id=principal.organization_id,
        workspace_id=workspace_id,
        filters=filters,
        principal_id=principal.id,
        audiences=audiences_of(tx, principal, workspace_id),
        before=before,
        limit=limit,
    )


def list_organization_activity(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    filters: ActivityFilters,
    before: UUID | None,
    limit: int,
) -> Sequence[Activity]:
    """Do the same for the organization and all of its workspaces. Raises OrganizationNotFound, ActionForbidden."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    return store.list_activity(
        tx,
        organization_id=organization_id,
        workspace_id=None,
        filters=filters,
        principal_id=principal.id,
        audiences=[
            audience_id
            for workspace_id in principal.roles_by_workspace
            for audience_id in audiences_of(tx, principal, workspace_id)
        ],
        before=before,
        limit=limit,
    )


def record_export(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId | None, filters: ActivityFilters, count: int
) -> None:
    """Record that entries left: how many, and what was asked for."""
    asked = {
        "actor_id": filters.actor_id,
        "action": filters.action,
        "subject_kind": filters.subject_kind,
        "subject_id": filters.subject_id,
        "outcome": filters.outcome,
        "since": filters.since,
        "until": filters.until,
    }
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=ActivityAction.ACTIVITY_EXPORTED,
        subject_kind=SubjectKind.ORGANIZATION if workspace_id is None else SubjectKind.WORKSPACE,
        subject_id=principal.organization_id if workspace_id is None else workspace_id,
        after={"count": count, **{name: value for name, value in asked.items() if value is not None}},
    )
