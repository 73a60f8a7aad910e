"""Says which issuers an organization trusts and on which terms; whose users they made stays until it is forgotten."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import differences, record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity.errors import MemberNotFound
from chalicelib.identity.model import OrganizationId, Principal, PrincipalId
from chalicelib.identity.oidc import provider_store, user_identity_store
from chalicelib.identity.oidc.algorithms import KEY_FORMS
from chalicelib.identity.oidc.checked_terms import checked_terms
from chalicelib.identity.oidc.discovery import Discovered, checked_issuer, discover
from chalicelib.identity.oidc.errors import IdentityProviderNotFound, IssuerRefused, IssuerTaken
from chalicelib.identity.oidc.keys import fits
from chalicelib.identity.oidc.model import IdentityProvider, IdentityProviderId, Terms, UserIdentity
from chalicelib.identity.rights import Action, authorize_organization
from chalicelib.platform.errors import IssuerUnavailable
from chalicelib.platform.ports import IssuerDocuments


def create_provider(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    issuer: str,
    terms: Terms,
    documents: IssuerDocuments | None,
    now: datetime,
) -> IdentityProvider:
    """Trust an issuer, having asked it for its keys while the transaction waits, ten seconds at most.

    Raises ActionForbidden, InvalidIdentity, InvalidIdentityProvider, IssuerTaken, and what `discover` does.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    checked = checked_terms(terms)
    checked_issuer(issuer, takes_loopback=documents is not None and documents.takes_loopback)
    if documents is None:
        raise IssuerUnavailable("This deployment has nothing that asks issuers for their keys.")
    discovered = discover(documents, issuer)
    _refuse_without_key(discovered, checked)
    provider = provider_store.insert_provider(
        tx,
        provider_id=new_id(),
        organization_id=organization_id,
        issuer=issuer,
        terms=checked,
        discovered=discovered,
        created_by=principal.id,
        now=now,
    )
    if provider is None:
        raise IssuerTaken("Another identity provider has this issuer; a token tells its organization by it.")
    _record(
        tx,
        principal,
        ActivityAction.IDENTITY_PROVIDER_CREATED,
        provider.id,
        after={"issuer": provider.issuer, **asdict(provider.terms)},
    )
    return provider


def list_providers(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, after: UUID | None, limit: int
) -> Sequence[IdentityProvider]:
    """Return the organization's providers in order of their ids. Raises ActionForbidden."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    return provider_store.list_providers(tx, organization_id, after=after, limit=limit)


def read_provider(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, provider_id: IdentityProviderId
) -> IdentityProvider:
    """Return one provider. Raises ActionForbidden, IdentityProviderNotFound."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    found = provider_store.list_providers(tx, organization_id, provider_id=provider_id)
    if not found:
        raise IdentityProviderNotFound("There is no such identity provider.")
    return found[0]


def change_provider(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    provider_id: IdentityProviderId,
    changes: Mapping[str, Any],
    disabled: bool | None,
    now: datetime,
) -> IdentityProvider:
    """Change terms by their names, and disable or enable unless None; all of it works on the next request.

    Raises ActionForbidden, IdentityProviderNotFound, InvalidIdentity, InvalidIdentityProvider.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    present = provider_store.lock_provider(tx, organization_id, provider_id)
    if present is None:
        raise IdentityProviderNotFound("There is no such identity provider.")
    terms = checked_terms(replace(present.terms, **changes))
    changed = provider_store.update_provider(tx, organization_id, provider_id, terms=terms, disabled=disabled, now=now)
    before, after = differences(_state(present), _state(changed))
    if after:
        _record(tx, principal, ActivityAction.IDENTITY_PROVIDER_CHANGED, provider_id, before=before, after=after)
    return changed


def delete_provider(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, provider_id: IdentityProviderId
) -> None:
    """Trust an issuer no longer; its users stay members. Raises ActionForbidden, IdentityProviderNotFound."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    if not provider_store.delete_provider(tx, organization_id, provider_id):
        raise IdentityProviderNotFound("There is no such identity provider.")
    _record(tx, principal, ActivityAction.IDENTITY_PROVIDER_DELETED, provider_id)


def list_user_identities(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    provider_id: IdentityProviderId,
    after: UUID | None,
    limit: int,
) -> Sequence[UserIdentity]:
    """Return which subject is which member, in order of the members' ids. Raises as `read_provider`."""
    provider = read_provider(tx, principal=principal, organization_id=organization_id, provider_id=provider_id)
    return user_identity_store.list_user_identities(tx, provider, after=after, limit=limit)


def forget_user_identity(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    provider_id: IdentityProviderId,
    member_id: PrincipalId,
) -> None:
    """Forget which subject a member is, so that the next token may tell anew. Raises MemberNotFound besides."""
    provider = read_provider(tx, principal=principal, organization_id=organization_id, provider_id=provider_id)
    if not user_identity_store.delete_user_identity(tx, provider, member_id):
        raise MemberNotFound("The identity provider knows no such member.")
    _record(tx, principal, ActivityAction.IDENTITY_FORGOTTEN, provider_id, before={"member_id": member_id})


def _state(provider: IdentityProvider) -> dict[str, Any]:
    return {**asdict(provider.terms), "is_disabled": provider.disabled_at is not None}


def _record(
    tx: Transaction,
    principal: Principal,
    action: ActivityAction,
    provider_id: IdentityProviderId,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=action,
        subject_kind=SubjectKind.IDENTITY_PROVIDER,
        subject_id=provider_id,
        before=before,
        after=after,
    )


def _refuse_without_key(discovered: Discovered, terms: Terms) -> None:
    if not any(fits(key, algorithm) for key in discovered.keys for algorithm in terms.algorithms):
        possible = [name for name in KEY_FORMS if any(fits(key, name) for key in discovered.keys)]
        raise IssuerRefused(
            f"The issuer has no key for {', '.join(terms.algorithms)}; it has some for {', '.join(possible) or 'none'}."
        )
