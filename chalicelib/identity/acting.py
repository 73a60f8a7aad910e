"""Lets one principal act for another: never more than both may do, and seeing no more than both may see."""

from collections.abc import Mapping
from dataclasses import replace

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity import store
from chalicelib.identity.errors import ActingRefused
from chalicelib.identity.model import (
    KeyScope,
    Principal,
    PrincipalId,
    PrincipalKind,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.identity.rights import Action, is_allowed_organization, lesser_organization_role, lesser_role


def act_on_behalf_of(tx: Transaction, *, principal: Principal, member_id: PrincipalId) -> Principal:
    """Return an agent or service as it is while it acts for a living user of its organization.

    In each workspace it has the lesser of both roles, and none where either has none. The scopes are its key's.
    Raises ActingRefused, in the same words for whoever cannot be acted for.
    """
    if principal.kind is PrincipalKind.USER:
        raise ActingRefused("Only agents and services act on behalf of others.")
    member = store.find_principal(tx, principal.organization_id, member_id)
    if member is None or member.kind is not PrincipalKind.USER:
        raise ActingRefused("There is no such user to act on behalf of.")
    return replace(
        principal,
        organization_role=lesser_organization_role(principal.organization_role, member.organization_role),
        roles_by_workspace=_shared_roles(principal, member),
        own_roles=principal.roles_by_workspace,
        on_behalf_of=member,
    )


def simulate(tx: Transaction, *, principal: Principal, member_id: PrincipalId, route: str) -> Principal:
    """Return a member as an admin sees through its eyes: reading alone, and only what both may read.

    It is recorded, with the name of the route that is asked.
    Raises ActingRefused, in the same words for whoever is not a living member of the organization.
    """
    if not is_allowed_organization(principal, principal.organization_id, Action.ADMINISTER):
        raise ActingRefused("Only admins simulate others, with a key of the scope admin.")
    member = store.find_principal(tx, principal.organization_id, member_id)
    if member is None:
        raise ActingRefused("There is no such member to simulate.")
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=ActivityAction.ACCESS_SIMULATED,
        subject_kind=SubjectKind.MEMBER,
        subject_id=member_id,
        after={"route": route},
    )
    return replace(
        member,
        roles_by_workspace=_shared_roles(member, principal),
        own_roles=member.roles_by_workspace,
        scopes=frozenset({KeyScope.READ}),
        on_behalf_of=principal,
        api_key_id=principal.api_key_id,
    )


def _shared_roles(first: Principal, second: Principal) -> Mapping[WorkspaceId, WorkspaceRole]:
    others = second.roles_by_workspace
    return {
        workspace_id: lesser_role(role, others[workspace_id])
        for workspace_id, role in first.roles_by_workspace.items()
        if workspace_id in others
    }
