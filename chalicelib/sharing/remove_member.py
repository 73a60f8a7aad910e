"""Removes a member, and buries what it kept to itself, which nobody could read or remove any more."""

from chalicelib.access.forsaken_store import list_forsaken
from chalicelib.access.store import hold_places
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.manage_members import delete_member
from chalicelib.identity.model import OrganizationId, Principal, PrincipalId, WorkspaceId
from chalicelib.identity.rights import Action, authorize_organization
from chalicelib.intake.item_uploads_store import release_items
from chalicelib.items import usage_store
from chalicelib.items.write_item import ItemRules
from chalicelib.sharing.delete_folder import RemoveItemsFromIndex
from chalicelib.sharing.folder_deletion_store import bury_items
from chalicelib.sharing.forsaken_store import list_workspaces_of, lock_items_of


def remove_member(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    member_id: PrincipalId,
    rules: ItemRules,
    remove_from_index: RemoveItemsFromIndex,
) -> None:
    """Remove a member as `delete_member` does; what is left to nobody by that goes into the trash, unseen.

    So its paths are free, and it goes for good with the rest of the trash. Raises MemberNotFound, LastAdmin,
    ActionForbidden.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    workspace_ids = list_workspaces_of(tx, organization_id)
    # Before the member's row: who writes at a path holds the places, and then waits for the row of who it is.
    for workspace_id in workspace_ids:
        hold_places(tx, workspace_id)
    delete_member(tx, principal=principal, organization_id=organization_id, member_id=member_id)
    for workspace_id in workspace_ids:
        buried = _bury_forsaken(tx, principal, workspace_id, rules=rules, remove_from_index=remove_from_index)
        if buried:
            record(
                tx,
                principal=principal,
                workspace_id=workspace_id,
                action=ActivityAction.MEMBER_ITEMS_DELETED,
                subject_kind=SubjectKind.MEMBER,
                subject_id=member_id,
                after={"items": buried},
            )


def _bury_forsaken(
    tx: Transaction,
    principal: Principal,
    workspace_id: WorkspaceId,
    *,
    rules: ItemRules,
    remove_from_index: RemoveItemsFromIndex,
) -> int:
    """Bury the living items that nobody can read any more; return how many."""
    items = lock_items_of(tx, workspace_id, audiences=list_forsaken(tx, workspace_id))
    if not items:
        return 0
    for item_id in items:
        rules.jobs.cancel_key(tx, key=str(item_id), workspace_id=workspace_id)
    remove_from_index(tx, workspace_id, items)
    bury_items(tx, workspace_id, items, principal_id=principal.id)
    released = release_items(tx, workspace_id, items)
    usage_store.add_usage(tx, workspace_id, {"items": -len(items), "uploads": -released})
    return len(items)
