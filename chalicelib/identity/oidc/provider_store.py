"""Reads and writes identity providers in the database, with the keys of their issuers."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import KeyScope, OrganizationId, PrincipalId
from chalicelib.identity.oidc.discovery import Discovered
from chalicelib.identity.oidc.model import IdentityProvider, IdentityProviderId, PublicKey, Terms

_LOADED = load_statements(__package__, "providers.sql")
_SQL = filled(_LOADED, {"provider_columns": _LOADED["provider_columns"]})


def insert_provider(
    tx: Transaction,
    *,
    provider_id: UUID,
    organization_id: OrganizationId,
    issuer: str,
    terms: Terms,
    discovered: Discovered,
    created_by: PrincipalId,
    now: datetime,
) -> IdentityProvider | None:
    """Trust an issuer; None where another provider of the deployment has it."""
    row = tx.fetch_one(
        _SQL["insert_provider"],
        id=provider_id,
        organization_id=organization_id,
        issuer=issuer,
        created_by=created_by,
        jwks_uri=discovered.jwks_uri,
        keys=json.dumps(discovered.keys),
        now=now,
        **_parameters(terms),
    )
    return _provider(row) if row else None


def list_providers(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    provider_id: IdentityProviderId | None = None,
    after: UUID | None = None,
    limit: int = 100,
) -> Sequence[IdentityProvider]:
    """Read the providers of an organization in order of their ids."""
    rows = tx.fetch_all(
        _SQL["list_providers"], organization_id=organization_id, provider_id=provider_id, after=after, limit=limit
    )
    return [_provider(row) for row in rows]


def lock_provider(
    tx: Transaction, organization_id: OrganizationId, provider_id: IdentityProviderId
) -> IdentityProvider | None:
    """Read a provider and keep others from changing it until the transaction ends."""
    row = tx.fetch_one(_SQL["lock_provider"], organization_id=organization_id, provider_id=provider_id)
    return _provider(row) if row else None


def update_provider(
    tx: Transaction,
    organization_id: OrganizationId,
    provider_id: IdentityProviderId,
    *,
    terms: Terms,
    disabled: bool | None,
    now: datetime,
) -> IdentityProvider:
    """Give an existing provider other terms, and disable or enable it unless `disabled` is None."""
    row = tx.fetch_one(
        _SQL["update_provider"],
        organization_id=organization_id,
        provider_id=provider_id,
        disabled=disabled,
        now=now,
        **_parameters(terms),
    )
    if row is None:
        raise LookupError("a statement that returns its row returned none")
    return _provider(row)


def delete_provider(tx: Transaction, organization_id: OrganizationId, provider_id: IdentityProviderId) -> bool:
    """Trust an issuer no longer; False where it is not there."""
    return bool(tx.execute(_SQL["delete_provider"], organization_id=organization_id, provider_id=provider_id))


def find_trusted(
    tx: Transaction, issuer: str, *, known_at: datetime | None
) -> tuple[IdentityProvider, Sequence[PublicKey] | None] | None:
    """Read the living provider of an issuer, whoever's it is, with its keys; None for keys fetched at `known_at`."""
    row = tx.fetch_one(_SQL["find_trusted"], issuer=issuer, known_at=known_at)
    return (_provider(row), row["keys"]) if row else None


def claim_search(tx: Transaction, provider_id: IdentityProviderId, *, now: datetime, not_since: datetime) -> bool:
    """Tell whether this process is the one to ask the issuer for its keys."""
    return bool(tx.execute(_SQL["claim_search"], provider_id=provider_id, now=now, not_since=not_since))


def keep_keys(tx: Transaction, provider_id: IdentityProviderId, discovered: Discovered, *, now: datetime) -> None:
    """Keep what the issuer's keys are now."""
    tx.execute(
        _SQL["keep_keys"],
        provider_id=provider_id,
        jwks_uri=discovered.jwks_uri,
        keys=json.dumps(discovered.keys),
        now=now,
    )


def _parameters(terms: Terms) -> dict[str, Any]:
    return {
        "name": terms.name,
        "audiences": list(terms.audiences),
        "algorithms": list(terms.algorithms),
        "scopes": sorted(terms.scopes),
        "name_claim": terms.name_claim,
        "email_claim": terms.email_claim,
        "email_verified_claim": terms.email_verified_claim,
        "links_by_email": terms.links_by_email,
        "admits": terms.admits,
        "email_domains": None if terms.email_domains is None else list(terms.email_domains),
    }


def _provider(row: Row) -> IdentityProvider:
    terms = {name: row[name] for name in Terms.__dataclass_fields__ if name != "scopes"}
    own = {name: row[name] for name in IdentityProvider.__dataclass_fields__ if name != "terms"}
    return IdentityProvider(terms=Terms(scopes=frozenset(KeyScope(each) for each in row["scopes"]), **terms), **own)
