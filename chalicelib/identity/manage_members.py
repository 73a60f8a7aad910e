"""Adds and changes members of an organization, and gives and takes their roles in workspaces."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import differences, record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import store
from chalicelib.identity.errors import LastAdmin, MemberNotFound
from chalicelib.identity.model import (
    Member,
    OrganizationId,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.identity.names import checked_email, checked_name
from chalicelib.identity.rights import Action, authorize, authorize_organization


def create_member(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    kind: PrincipalKind,
    name: str,
    email: str | None = None,
    organization_role: OrganizationRole = OrganizationRole.MEMBER,
) -> Member:
    """Add a user, agent or service. Raises ActionForbidden, EmailTaken, InvalidIdentity."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    member_id = PrincipalId(new_id())
    store.insert_principal(
        tx,
        principal_id=member_id,
        organization_id=organization_id,
        kind=kind,
        name=checked_name(name),
        email=None if email is None else checked_email(email),
        organization_role=organization_role,
    )
    member = _existing(tx, organization_id, member_id)
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=ActivityAction.MEMBER_CREATED,
        subject_kind=SubjectKind.MEMBER,
        subject_id=member_id,
        after=_recorded(member),
    )
    return member


def list_members(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, after: UUID | None, limit: int
) -> Sequence[Member]:
    """Return the organization's members in order of their ids. Raises ActionForbidden."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    return store.list_members(tx, organization_id, after=after, limit=limit)


def read_member(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, member_id: PrincipalId
) -> Member:
    """Return one member: oneself, or any for an admin. Raises MemberNotFound, ActionForbidden."""
    action = Action.READ if member_id == principal.id else Action.ADMINISTER
    authorize_organization(principal, organization_id, action)
    return _within_reach(_existing(tx, organization_id, member_id), principal)


def update_member(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    member_id: PrincipalId,
    name: str | None = None,
    organization_role: OrganizationRole | None = None,
    disabled: bool | None = None,
) -> Member:
    """Change what is given. Raises MemberNotFound, LastAdmin, ActionForbidden, InvalidIdentity."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    steps_down = organization_role is OrganizationRole.MEMBER or disabled is True
    if steps_down and store.lock_admins(tx, organization_id) == {member_id}:
        raise LastAdmin("This is the organization's last admin; make another member admin first.")
    present = _existing(tx, organization_id, member_id)
    store.update_principal(
        tx,
        organization_id,
        member_id,
        name=None if name is None else checked_name(name),
        organization_role=organization_role,
        disabled=disabled,
    )
    changed = _existing(tx, organization_id, member_id)
    before, after = differences(_recorded(present), _recorded(changed))
    if after:
        record(
            tx,
            principal=principal,
            workspace_id=None,
            action=ActivityAction.MEMBER_CHANGED,
            subject_kind=SubjectKind.MEMBER,
            subject_id=member_id,
            before=before,
            after=after,
        )
    return changed


def set_role(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    member_id: PrincipalId,
    role: WorkspaceRole | None,
) -> Member:
    """Give a member of one's organization a role in a workspace, or take it (None). Raises MemberNotFound."""
    authorize(principal, workspace_id, Action.MANAGE)
    organization_id = principal.organization_id
    present = _existing(tx, organization_id, member_id).roles_by_workspace.get(workspace_id)
    if role is None:
        store.delete_membership(tx, organization_id=organization_id, workspace_id=workspace_id, principal_id=member_id)
    else:
        store.put_membership(
            tx, organization_id=organization_id, workspace_id=workspace_id, principal_id=member_id, role=role
        )
    if role is not present:
        record(
            tx,
            principal=principal,
            workspace_id=workspace_id,
            action=ActivityAction.ROLE_GIVEN if role else ActivityAction.ROLE_TAKEN,
            subject_kind=SubjectKind.MEMBER,
            subject_id=member_id,
            before={"role": present},
            after={"role": role},
        )
    return _within_reach(_existing(tx, organization_id, member_id), principal)


def _recorded(member: Member) -> dict[str, object]:
    return {
        "kind": member.kind,
        "name": member.name,
        "organization_role": member.organization_role,
        "is_disabled": member.disabled_at is not None,
    }


def _within_reach(member: Member, principal: Principal) -> Member:
    """Leave out the roles in workspaces that the asker does not know, and the address of others but for admins."""
    if principal.organization_role is OrganizationRole.ADMIN:
        return member
    reached = principal.roles_by_workspace
    roles = {workspace_id: role for workspace_id, role in member.roles_by_workspace.items() if workspace_id in reached}
    return replace(member, roles_by_workspace=roles, email=member.email if member.id == principal.id else None)


def _existing(tx: Transaction, organization_id: OrganizationId, member_id: PrincipalId) -> Member:
    members = store.list_members(tx, organization_id, principal_id=member_id)
    if not members:
        raise MemberNotFound("There is no such member.")
    return members[0]
