"""Reads and renames one's organization."""

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import differences, record
from chalicelib.database.transaction import Transaction
from chalicelib.identity import store
from chalicelib.identity.errors import OrganizationNotFound
from chalicelib.identity.model import Organization, OrganizationId, Principal
from chalicelib.identity.names import checked_name
from chalicelib.identity.rights import Action, authorize_organization


def read_organization(tx: Transaction, *, principal: Principal, organization_id: OrganizationId) -> Organization:
    """Return the principal's own organization. Raises OrganizationNotFound for any other."""
    authorize_organization(principal, organization_id, Action.READ)
    organization = store.find_organization(tx, organization_id)
    if organization is None:
        raise OrganizationNotFound("There is no such organization.")
    return organization


def rename_organization(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, name: str
) -> Organization:
    """Give the organization another name. Raises OrganizationNotFound, ActionForbidden, InvalidIdentity."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    present = read_organization(tx, principal=principal, organization_id=organization_id)
    renamed = store.rename_organization(tx, organization_id, name=checked_name(name))
    before, after = differences({"name": present.name}, {"name": renamed.name})
    if after:
        record(
            tx,
            principal=principal,
            workspace_id=None,
            action=ActivityAction.ORGANIZATION_CHANGED,
            subject_kind=SubjectKind.ORGANIZATION,
            subject_id=organization_id,
            before=before,
            after=after,
        )
    return renamed
