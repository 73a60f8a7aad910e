"""Makes, lists, reads and changes workspaces, and finds the one that a drop names."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import differences, record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import store
from chalicelib.identity.errors import InvalidIdentity, WorkspaceNotFound
from chalicelib.identity.model import OrganizationId, Principal, Workspace, WorkspaceId
from chalicelib.identity.names import checked_name, checked_slug
from chalicelib.identity.rights import Action, authorize, authorize_organization

QUOTA_NAMES = frozenset({"items", "uploads", "original_bytes", "body_bytes", "chunks", "citations"})


def create_workspace(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, slug: str, name: str | None = None
) -> Workspace:
    """Add a workspace to the organization. Raises ActionForbidden, SlugTaken, InvalidIdentity."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    workspace = store.insert_workspace(
        tx,
        workspace_id=new_id(),
        organization_id=organization_id,
        slug=checked_slug(slug),
        name=checked_name(name if name is not None else slug),
        quotas={},
    )
    record(
        tx,
        principal=principal,
        workspace_id=workspace.id,
        action=ActivityAction.WORKSPACE_CREATED,
        subject_kind=SubjectKind.WORKSPACE,
        subject_id=workspace.id,
        after={"slug": workspace.slug, "name": workspace.name},
    )
    return workspace


def list_workspaces(tx: Transaction, *, principal: Principal) -> Sequence[Workspace]:
    """Return the workspaces that the principal can reach, the oldest first."""
    return store.list_workspaces(tx, principal.roles_by_workspace)


def read_workspace(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId) -> Workspace:
    """Return one workspace. Raises WorkspaceNotFound."""
    authorize(principal, workspace_id, Action.READ)
    return _existing(store.find_workspace(tx, workspace_id))


def update_workspace(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    slug: str | None = None,
    name: str | None = None,
    quotas: Mapping[str, int] | None = None,
    record_reads: bool | None = None,
) -> Workspace:
    """Change what is given; quotas are the organization's admins' to change. Raises SlugTaken, InvalidIdentity."""
    authorize(principal, workspace_id, Action.MANAGE)
    if quotas is not None:
        authorize_organization(principal, principal.organization_id, Action.ADMINISTER)
    present = _existing(store.find_workspace(tx, workspace_id))
    changed = store.update_workspace(
        tx,
        workspace_id,
        slug=None if slug is None else checked_slug(slug),
        name=None if name is None else checked_name(name),
        quotas=None if quotas is None else _checked_quotas(quotas),
        record_reads=record_reads,
    )
    before, after = differences(_recorded(present), _recorded(changed))
    if after:
        record(
            tx,
            principal=principal,
            workspace_id=workspace_id,
            action=ActivityAction.WORKSPACE_CHANGED,
            subject_kind=SubjectKind.WORKSPACE,
            subject_id=workspace_id,
            before=before,
            after=after,
        )
    return changed


def resolve_workspace(tx: Transaction, name: str) -> Workspace:
    """Return the workspace that an operator or a drop names by id, or by a slug that is unique in the deployment.

    Raises WorkspaceNotFound. No principal is asked: whoever may write into the bucket may name any workspace.
    """
    try:
        workspace_id = WorkspaceId(UUID(name))
    except ValueError:
        return _existing(store.find_workspace_by_slug(tx, name))
    return _existing(store.find_workspace(tx, workspace_id))


def _recorded(workspace: Workspace) -> dict[str, object]:
    return {
        "slug": workspace.slug,
        "name": workspace.name,
        "quotas": dict(workspace.quotas),
        "record_reads": workspace.record_reads,
    }


def _existing(workspace: Workspace | None) -> Workspace:
    if workspace is None:
        raise WorkspaceNotFound("There is no such workspace.")
    return workspace


def _checked_quotas(quotas: Mapping[str, int]) -> dict[str, int]:
    unknown = set(quotas) - QUOTA_NAMES
    if unknown or any(limit < 0 for limit in quotas.values()):
        raise InvalidIdentity(
            f"Quotas are whole numbers from 0 on for {', '.join(sorted(QUOTA_NAMES))}.", unknown=sorted(unknown)
        )
    return dict(quotas)
