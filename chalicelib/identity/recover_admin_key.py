"""Makes an admin's key when the last one is lost, for whoever operates the deployment and has its database anyway."""

from collections.abc import Callable
from dataclasses import dataclass, field

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import key_store, recovery_store, store
from chalicelib.identity.credentials import hash_credential, new_credential
from chalicelib.identity.errors import InvalidIdentity, OrganizationNotFound
from chalicelib.identity.model import (
    ApiKeyId,
    KeyScope,
    Organization,
    OrganizationId,
    OrganizationRole,
    PrincipalId,
    PrincipalKind,
)


@dataclass(frozen=True, slots=True)
class RecoveredKey:
    """A new key of an admin with its token, which is shown this once."""

    organization: Organization
    member_id: PrincipalId
    member_name: str
    api_key_id: ApiKeyId
    token: str = field(repr=False)


def recover_admin_key(
    tx: Transaction,
    *,
    organization_id: OrganizationId | None,
    pepper: bytes,
    keep: Callable[[RecoveredKey], None],
) -> RecoveredKey:
    """Make a key with every scope for the user who has been an admin for longest; keys that exist stay.

    The organization may be left open where there is one alone. Where it has no user who is an admin and not disabled,
    one is made. `keep` puts the key where the operator finds it, before anything is committed.
    Authorization is the caller's. Raises OrganizationNotFound, InvalidIdentity.
    """
    organization = _organization(tx, organization_id)
    member_id, name = recovery_store.find_admin(tx, organization.id) or _new_admin(tx, organization.id)
    credential = new_credential()
    api_key = key_store.insert_api_key(
        tx,
        api_key_id=new_id(),
        organization_id=organization.id,
        principal_id=member_id,
        name="recovered key",
        prefix=credential.prefix,
        secret_hash=hash_credential(credential, pepper=pepper),
        scopes=KeyScope,
        workspace_ids=None,
        created_by=None,
        expires_at=None,
    )
    record(
        tx,
        principal=None,
        organization_id=organization.id,
        workspace_id=None,
        action=ActivityAction.API_KEY_CREATED,
        subject_kind=SubjectKind.API_KEY,
        subject_id=api_key.id,
        after={"member_id": member_id, "name": api_key.name, "scopes": api_key.scopes},
    )
    recovered = RecoveredKey(organization, member_id, name, api_key.id, credential.token)
    keep(recovered)
    return recovered


def _organization(tx: Transaction, organization_id: OrganizationId | None) -> Organization:
    found = recovery_store.list_organizations(tx, organization_id)
    if not found:
        raise OrganizationNotFound("There is no such organization in this deployment.")
    if len(found) > 1:
        named = ", ".join(f"{organization.id} ({organization.name})" for organization in found)
        raise InvalidIdentity(f"There are several organizations; say for which one by its id: {named}.")
    return found[0]


def _new_admin(tx: Transaction, organization_id: OrganizationId) -> tuple[PrincipalId, str]:
    member_id, name, role = PrincipalId(new_id()), "Operator", OrganizationRole.ADMIN
    store.insert_principal(
        tx,
        principal_id=member_id,
        organization_id=organization_id,
        kind=PrincipalKind.USER,
        name=name,
        email=None,
        organization_role=role,
    )
    record(
        tx,
        principal=None,
        organization_id=organization_id,
        workspace_id=None,
        action=ActivityAction.MEMBER_CREATED,
        subject_kind=SubjectKind.MEMBER,
        subject_id=member_id,
        after={"kind": PrincipalKind.USER, "name": name, "organization_role": role},
    )
    return member_id, name
