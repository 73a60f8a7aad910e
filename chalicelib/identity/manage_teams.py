"""Makes, names and deletes teams, and puts users into them."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import team_store
from chalicelib.identity.errors import InvalidIdentity, MemberNotFound, TeamNotFound
from chalicelib.identity.model import (
    OrganizationId,
    Principal,
    PrincipalId,
    PrincipalKind,
    Team,
    TeamId,
    TeamMember,
)
from chalicelib.identity.names import checked_name
from chalicelib.identity.rights import Action, authorize_organization, is_allowed_organization


def create_team(tx: Transaction, *, principal: Principal, organization_id: OrganizationId, name: str) -> Team:
    """Add a team without members. Raises ActionForbidden, TeamNameTaken, InvalidIdentity."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    team = team_store.insert_team(tx, organization_id, team_id=new_id(), name=checked_name(name))
    _record(tx, principal, ActivityAction.TEAM_CREATED, team.id, after={"name": team.name})
    return team


def list_teams(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, after: UUID | None, limit: int
) -> Sequence[Team]:
    """Return all teams for an admin, else those that the principal is in, in order of their ids."""
    authorize_organization(principal, organization_id, Action.READ)
    return team_store.list_teams(tx, organization_id, principal_id=_whose_teams(principal), after=after, limit=limit)


def read_team(tx: Transaction, *, principal: Principal, organization_id: OrganizationId, team_id: TeamId) -> Team:
    """Return a team: any for an admin, else one that the principal is in. Raises TeamNotFound."""
    authorize_organization(principal, organization_id, Action.READ)
    found = team_store.list_teams(tx, organization_id, team_id=team_id, principal_id=_whose_teams(principal))
    if not found:
        raise _absent()
    return found[0]


def rename_team(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, team_id: TeamId, name: str
) -> Team:
    """Give a team another name. Raises ActionForbidden, TeamNotFound, TeamNameTaken, InvalidIdentity."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    team = team_store.rename_team(tx, organization_id, team_id, name=checked_name(name))
    if team is None:
        raise _absent()
    _record(tx, principal, ActivityAction.TEAM_CHANGED, team.id, after={"name": team.name})
    return team


def delete_team(tx: Transaction, *, principal: Principal, organization_id: OrganizationId, team_id: TeamId) -> None:
    """Remove a team with its grants: what was open to it alone is open to nobody by it any more.

    Raises ActionForbidden, TeamNotFound.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    if not team_store.delete_team(tx, organization_id, team_id):
        raise _absent()
    _record(tx, principal, ActivityAction.TEAM_DELETED, team_id)


def list_team_members(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    team_id: TeamId,
    after: UUID | None,
    limit: int,
) -> Sequence[TeamMember]:
    """Return who is in a team, in order of their ids. Raises ActionForbidden, TeamNotFound."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    _hold(tx, organization_id, team_id)
    return team_store.list_team_members(tx, organization_id, team_id, after=after, limit=limit)


def add_team_member(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    team_id: TeamId,
    member_id: PrincipalId,
) -> None:
    """Put a user into a team; doing it again changes nothing.

    Raises ActionForbidden, TeamNotFound, MemberNotFound, InvalidIdentity.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    _hold(tx, organization_id, team_id)
    kind = team_store.find_kind(tx, organization_id, member_id)
    if kind is None:
        raise MemberNotFound("There is no such member.")
    if kind is not PrincipalKind.USER:
        raise InvalidIdentity("Only users are in teams; grant an agent or service what it needs by its id.")
    if team_store.put_team_member(tx, organization_id, team_id, member_id):
        _record(tx, principal, ActivityAction.TEAM_MEMBER_ADDED, team_id, after={"member_id": member_id})


def remove_team_member(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    team_id: TeamId,
    member_id: PrincipalId,
) -> None:
    """Take a member out of a team, if it is in it; that works on its next request.

    Raises ActionForbidden, TeamNotFound, MemberNotFound.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    _hold(tx, organization_id, team_id)
    if team_store.find_kind(tx, organization_id, member_id) is None:
        raise MemberNotFound("There is no such member.")
    if team_store.delete_team_member(tx, organization_id, team_id, member_id):
        _record(tx, principal, ActivityAction.TEAM_MEMBER_REMOVED, team_id, before={"member_id": member_id})


def _record(
    tx: Transaction,
    principal: Principal,
    action: ActivityAction,
    team_id: TeamId,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=action,
        subject_kind=SubjectKind.TEAM,
        subject_id=team_id,
        before=before,
        after=after,
    )


def _hold(tx: Transaction, organization_id: OrganizationId, team_id: TeamId) -> None:
    if not team_store.hold_team(tx, organization_id, team_id):
        raise _absent()


def _whose_teams(principal: Principal) -> PrincipalId | None:
    sees_all = is_allowed_organization(principal, principal.organization_id, Action.ADMINISTER)
    return None if sees_all else principal.id


def _absent() -> TeamNotFound:
    return TeamNotFound("There is no such team.")
