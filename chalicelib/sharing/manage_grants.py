"""Gives members and teams actions on folders and items, takes them away, and lists them."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.access.model import FolderId, GrantAction, GrantId
from chalicelib.access.refresh import refresh_folder, refresh_item
from chalicelib.access.store import delete_unused_audiences, hold_places
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, PrincipalId, TeamId, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import ItemId
from chalicelib.sharing import store
from chalicelib.sharing.change_access import record_access
from chalicelib.sharing.errors import GrantNotFound, InvalidAccess
from chalicelib.sharing.find_subject import find_folder_subject, find_item_subject
from chalicelib.sharing.model import Grant, Subject


def give_grant(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    subject_id: ItemId | FolderId,
    is_folder: bool,
    action: GrantAction,
    member_id: PrincipalId | None,
    team_id: TeamId | None,
) -> Grant:
    """Give one member or team an action; giving another one takes the place of the first.

    A grant on a folder holds for all in it but what was kept more closely further down. Nobody can grant what they
    may not do there themselves. Raises ItemNotFound, FolderNotFound, ActionForbidden, InvalidAccess.
    """
    subject = _hold(tx, principal, workspace_id, subject_id, is_folder=is_folder)
    authorize(principal, workspace_id, Action.WRITE if action is GrantAction.WRITE else Action.READ)
    if (member_id is None) == (team_id is None):
        raise InvalidAccess("A grant names one member or one team.", field="member_id")
    named = store.list_tokens(
        tx,
        principal.organization_id,
        member_ids=[] if member_id is None else [member_id],
        team_ids=[] if team_id is None else [team_id],
    )
    if not named:
        raise InvalidAccess("The organization has no such team or member.", field="member_id")
    grant = store.put_grant(tx, subject, action=action, member_id=member_id, team_id=team_id, granted_by=principal.id)
    _refresh(tx, subject)
    record_access(tx, principal, subject, ActivityAction.GRANT_GIVEN, after=_told(grant))
    return grant


def take_grant(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    subject_id: ItemId | FolderId,
    is_folder: bool,
    grant_id: GrantId,
) -> None:
    """Take a grant away; it ends on the next read. Raises GrantNotFound and what give_grant raises."""
    subject = _hold(tx, principal, workspace_id, subject_id, is_folder=is_folder)
    grant = store.delete_grant(tx, subject, grant_id)
    if grant is None:
        raise GrantNotFound("There is no such grant.")
    _refresh(tx, subject)
    record_access(tx, principal, subject, ActivityAction.GRANT_TAKEN, before=_told(grant))


def read_grant(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    subject_id: ItemId | FolderId,
    is_folder: bool,
    grant_id: GrantId,
) -> Grant:
    """Return one grant, for owners. Raises GrantNotFound and what give_grant raises."""
    subject = _find(tx, principal, workspace_id, subject_id, is_folder=is_folder)
    grant = store.find_grant(tx, subject, grant_id)
    if grant is None:
        raise GrantNotFound("There is no such grant.")
    return grant


def list_grants(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    subject_id: ItemId | FolderId,
    is_folder: bool,
    after: UUID | None,
    limit: int,
) -> Sequence[Grant]:
    """Return the grants on a folder or an item in order of their ids, for owners. Raises what give_grant raises."""
    subject = _find(tx, principal, workspace_id, subject_id, is_folder=is_folder)
    return store.list_grants(tx, subject, after=after, limit=limit)


def _hold(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, subject_id: UUID, *, is_folder: bool
) -> Subject:
    authorize(principal, workspace_id, Action.READ)
    hold_places(tx, workspace_id)
    return _find(tx, principal, workspace_id, subject_id, is_folder=is_folder)


def _find(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, subject_id: UUID, *, is_folder: bool
) -> Subject:
    if is_folder:
        authorize(principal, workspace_id, Action.GRANT)
        return find_folder_subject(tx, principal, workspace_id, FolderId(subject_id))
    authorize(principal, workspace_id, Action.READ)
    subject = find_item_subject(tx, principal, workspace_id, ItemId(subject_id))
    authorize(principal, workspace_id, Action.GRANT)
    return subject


def _refresh(tx: Transaction, subject: Subject) -> None:
    if subject.item_id is None:
        refresh_folder(tx, subject.workspace_id, subject.path)
        return
    refresh_item(tx, subject.workspace_id, subject.item_id, subject.path)
    delete_unused_audiences(tx, subject.workspace_id)


def _told(grant: Grant) -> dict[str, object]:
    return {"grant_id": grant.id, "action": grant.action, "member_id": grant.member_id, "team_id": grant.team_id}
