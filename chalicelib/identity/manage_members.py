"""Adds and changes members of an organization, and gives and takes their roles in workspaces."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import differences, record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import environment_store, store
from chalicelib.identity.errors import InvalidIdentity, LastAdmin, MemberNotFound
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
from chalicelib.identity.rights import Action, authorize, authorize_organization, role_allows
from chalicelib.identity.store import UNCHANGED, Unchanged


def create_member(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    kind: PrincipalKind,
    name: str,
    email: str | None = None,
    organization_role: OrganizationRole = OrganizationRole.MEMBER,
    environment: str | None = None,
) -> Member:
    """Add a user, agent or service; an agent to an environment, None is the default one.

    Raises ActionForbidden, EmailTaken, InvalidIdentity.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    if environment is not None:
        _check_environment(tx, organization_id, environment, kind=kind)
    member_id = PrincipalId(new_id())
    store.insert_principal(
        tx,
        principal_id=member_id,
        organization_id=organization_id,
        kind=kind,
        name=checked_name(name),
        email=None if email is None else checked_email(email),
        organization_role=organization_role,
        environment=environment,
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
    environment: str | Unchanged | None = UNCHANGED,
) -> Member:
    """Change what is given; the environment None is the default one.

    Raises MemberNotFound, LastAdmin, ActionForbidden, InvalidIdentity.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    if disabled or (organization_role is not None and not role_allows(organization_role, Action.ADMINISTER)):
        _keep_an_admin(tx, organization_id, besides=member_id)
    present = _existing(tx, organization_id, member_id)
    if environment is not UNCHANGED and environment is not None:
        _check_environment(tx, organization_id, environment, kind=present.kind)
    store.update_principal(
        tx,
        organization_id,
        member_id,
        name=None if name is None else checked_name(name),
        organization_role=organization_role,
        disabled=disabled,
        environment=environment,
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


def delete_member(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, member_id: PrincipalId
) -> None:
    """Remove a member with its keys, roles and grants. What it made stays, and says of its maker nothing any more.

    What it kept to itself is nobody's to read. Raises MemberNotFound, LastAdmin, ActionForbidden.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    _keep_an_admin(tx, organization_id, besides=member_id)
    present = _existing(tx, organization_id, member_id)
    if not store.delete_principal(tx, organization_id, member_id):
        raise MemberNotFound("There is no such member.")
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=ActivityAction.MEMBER_DELETED,
        subject_kind=SubjectKind.MEMBER,
        subject_id=member_id,
        before={**_recorded(present), "roles": present.roles_by_workspace},
    )


def set_role(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    member_id: PrincipalId,
    role: WorkspaceRole | None,
) -> Member:
    """Give a member of one's organization a role in a workspace, or take it (None).

    Raises MemberNotFound, ActionForbidden, and InvalidIdentity for the role of a guest, which nobody is given.
    """
    authorize(principal, workspace_id, Action.MANAGE)
    if role is not None:
        check_given(role)
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
        **({"environment": member.environment} if member.kind is PrincipalKind.AGENT else {}),
    }


def check_given(role: WorkspaceRole) -> None:
    """Raise InvalidIdentity for a role that nobody is given."""
    if role is WorkspaceRole.GUEST:
        raise InvalidIdentity("Nobody is made a guest: share folders or items with the member instead.")


def _keep_an_admin(tx: Transaction, organization_id: OrganizationId, *, besides: PrincipalId) -> None:
    """Raise LastAdmin where only this member is an admin. Nobody else steps down until the transaction ends."""
    if store.lock_admins(tx, organization_id) == {besides}:
        raise LastAdmin("This is the organization's last admin; make another member admin first.")


def _check_environment(
    tx: Transaction, organization_id: OrganizationId, environment: str, *, kind: PrincipalKind
) -> None:
    if kind is not PrincipalKind.AGENT:
        raise InvalidIdentity("Only agents are in an environment.")
    if not environment_store.hold_environment(tx, organization_id, environment):
        raise InvalidIdentity("There is no such environment; create it first.", environment=environment[:200])


def _within_reach(member: Member, principal: Principal) -> Member:
    """Leave out the roles in workspaces that the asker does not know, and the address of others but for admins."""
    if role_allows(principal.organization_role, Action.ADMINISTER):
        return member
    reached = principal.roles_by_workspace
    roles = {workspace_id: role for workspace_id, role in member.roles_by_workspace.items() if workspace_id in reached}
    return replace(member, roles_by_workspace=roles, email=member.email if member.id == principal.id else None)


def _existing(tx: Transaction, organization_id: OrganizationId, member_id: PrincipalId) -> Member:
    members = store.list_members(tx, organization_id, principal_id=member_id)
    if not members:
        raise MemberNotFound("There is no such member.")
    return members[0]
