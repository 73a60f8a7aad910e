"""Tells which audiences of a workspace somebody is in: the one answer that every read is asked with."""

from chalicelib.access import store
from chalicelib.access.model import Audiences
from chalicelib.access.store import Holder
from chalicelib.access.tokens import owner_token, tokens_of, tokens_of_drop, workspace_token
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, PrincipalId, PrincipalKind, WorkspaceId
from chalicelib.identity.store import find_principal, find_workspace


def audiences_of(tx: Transaction, principal: Principal, workspace_id: WorkspaceId) -> Audiences:
    """Return the audiences that the principal is in, and whom it acts on behalf of.

    An audience never changes, so what is read with these numbers is decided by the items' rows at that moment.
    """
    return store.list_audiences(tx, workspace_id, holders=holders_of(principal, workspace_id))


def audiences_of_absent(tx: Transaction, principal_id: PrincipalId | None, workspace_id: WorkspaceId) -> Audiences:
    """Return those of somebody who wrote into a workspace earlier and is not here to be asked.

    A worker acts with these for an uploader, as it is now; None is whoever drops into the store. Who is gone by now
    is in none.
    """
    if principal_id is None:
        return store.list_audiences(tx, workspace_id, holders=[Holder(tokens_of_drop(workspace_id))])
    workspace = find_workspace(tx, workspace_id)
    principal = find_principal(tx, workspace.organization_id, principal_id) if workspace else None
    if principal is None or workspace_id not in principal.roles_by_workspace:
        return []
    return audiences_of(tx, principal, workspace_id)


def audiences_of_owners(tx: Transaction, workspace_id: WorkspaceId) -> Audiences:
    """Return those that every owner of a workspace is in: all but what is kept from owners."""
    return store.list_audiences(
        tx, workspace_id, holders=[Holder(frozenset({workspace_token(workspace_id), owner_token(workspace_id)}))]
    )


def holders_of(principal: Principal, workspace_id: WorkspaceId) -> list[Holder]:
    """Return whose tokens must all suffice: the principal's, and those of whom it acts on behalf of."""
    holder = Holder(tokens_of(principal, workspace_id), principal.kind is PrincipalKind.AGENT, principal.environment)
    return [holder] if principal.on_behalf_of is None else [holder, *holders_of(principal.on_behalf_of, workspace_id)]
