"""Makes a new organization with its first owner, first workspace and first API key."""

from dataclasses import dataclass

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import key_store, store
from chalicelib.identity.credentials import hash_credential, new_credential
from chalicelib.identity.model import (
    ApiKey,
    KeyScope,
    Organization,
    OrganizationId,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    Workspace,
    WorkspaceRole,
)
from chalicelib.identity.names import checked_email, checked_name, checked_slug


@dataclass(frozen=True, slots=True)
class Foundation:
    """What a new organization starts with. `token` is the owner's API key, shown this once."""

    organization: Organization
    workspace: Workspace
    owner: Principal
    api_key: ApiKey
    token: str


def found_organization(
    tx: Transaction,
    *,
    name: str,
    workspace_slug: str,
    owner_name: str,
    pepper: bytes,
    owner_email: str | None = None,
    founder: Principal | None = None,
) -> Foundation:
    """Make the organization and everything needed to begin. Raises InvalidIdentity.

    Authorization is the caller's: the operator at the machine, or an admin of another organization over HTTP, the
    `founder`, in whose organization it is recorded too.
    """
    organization = store.insert_organization(tx, organization_id=new_id(), name=checked_name(name))
    slug = checked_slug(workspace_slug)
    workspace = store.insert_workspace(
        tx, workspace_id=new_id(), organization_id=organization.id, slug=slug, name=slug, quotas={}
    )
    owner = _found_owner(tx, organization.id, workspace, name=owner_name, email=owner_email)
    credential = new_credential()
    api_key = key_store.insert_api_key(
        tx,
        api_key_id=new_id(),
        organization_id=organization.id,
        principal_id=owner.id,
        name="first key",
        prefix=credential.prefix,
        secret_hash=hash_credential(credential, pepper=pepper),
        scopes=KeyScope,
        workspace_ids=None,
        created_by=owner.id,
        expires_at=None,
    )
    _record_founding(tx, organization.id, None, {"workspace_id": workspace.id, "owner_id": owner.id})
    if founder is not None:
        _record_founding(tx, organization.id, founder, {})
    return Foundation(organization, workspace, owner, api_key, credential.token)


def _record_founding(
    tx: Transaction, founded: OrganizationId, founder: Principal | None, after: dict[str, object]
) -> None:
    record(
        tx,
        principal=founder,
        organization_id=None if founder else founded,
        workspace_id=None,
        action=ActivityAction.ORGANIZATION_CREATED,
        subject_kind=SubjectKind.ORGANIZATION,
        subject_id=founded,
        after=after or None,
    )


def _found_owner(
    tx: Transaction, organization_id: OrganizationId, workspace: Workspace, *, name: str, email: str | None
) -> Principal:
    owner = Principal(
        id=PrincipalId(new_id()),
        organization_id=organization_id,
        kind=PrincipalKind.USER,
        name=checked_name(name),
        organization_role=OrganizationRole.ADMIN,
        roles_by_workspace={workspace.id: WorkspaceRole.OWNER},
        scopes=frozenset(KeyScope),
    )
    store.insert_principal(
        tx,
        principal_id=owner.id,
        organization_id=organization_id,
        kind=owner.kind,
        name=owner.name,
        email=None if email is None else checked_email(email),
        organization_role=owner.organization_role,
    )
    return owner
