"""Reads and writes in the database which subject of a provider is which user."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, PrincipalId
from chalicelib.identity.oidc.model import IdentityProvider, KnownBy, UserIdentity
from chalicelib.identity.store import WHOLE_PRINCIPAL, principal_of

_SQL = filled(load_statements(__package__, "user_identities.sql"), WHOLE_PRINCIPAL)


@dataclass(frozen=True, slots=True)
class UserOfSubject:
    """The user whom a subject stands for, with every scope."""

    principal: Principal
    is_disabled: bool
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class UserOfAddress:
    """Who has an address. `is_known` says that the provider knows this user by a subject already."""

    id: PrincipalId
    is_disabled: bool
    is_known: bool


def lock_subject(tx: Transaction, provider: IdentityProvider, subject: str) -> None:
    """Keep others from finding out who a subject is until the transaction ends."""
    tx.execute(_SQL["lock_subject"], provider_id=provider.id, subject=subject)


def find_user(tx: Transaction, provider: IdentityProvider, subject: str) -> UserOfSubject | None:
    """Read whom a subject stands for, None where it was never here."""
    row = tx.fetch_one(_SQL["find_user"], provider_id=provider.id, subject=subject)
    return UserOfSubject(principal_of(row), row["disabled_at"] is not None, row["last_used_at"]) if row else None


def find_user_by_email(tx: Transaction, provider: IdentityProvider, email: str) -> UserOfAddress | None:
    """Read and lock who of the provider's organization has an address, in whatever case it is written."""
    row = tx.fetch_one(
        _SQL["find_user_by_email"],
        provider_id=provider.id,
        organization_id=provider.organization_id,
        email=email,
    )
    return UserOfAddress(**row) if row else None


def insert_user_identity(
    tx: Transaction,
    provider: IdentityProvider,
    subject: str,
    *,
    principal_id: PrincipalId,
    known_by: KnownBy,
    now: datetime,
) -> bool:
    """Remember which user of the provider's organization a subject stands for; False where it has become another's."""
    return bool(
        tx.execute(
            _SQL["insert_user_identity"],
            provider_id=provider.id,
            subject=subject,
            organization_id=provider.organization_id,
            principal_id=principal_id,
            known_by=known_by,
            now=now,
        )
    )


def touch_user_identity(tx: Transaction, provider: IdentityProvider, subject: str, *, now: datetime) -> None:
    """Note that a subject was here."""
    tx.execute(_SQL["touch_user_identity"], provider_id=provider.id, subject=subject, now=now)


def list_user_identities(
    tx: Transaction, provider: IdentityProvider, *, after: UUID | None, limit: int
) -> Sequence[UserIdentity]:
    """Read the subjects that are known, in order of the users' ids."""
    rows = tx.fetch_all(_SQL["list_user_identities"], provider_id=provider.id, after=after, limit=limit)
    return [UserIdentity(**{**row, "known_by": KnownBy(row["known_by"])}) for row in rows]


def delete_user_identity(tx: Transaction, provider: IdentityProvider, principal_id: PrincipalId) -> bool:
    """Forget which subject a user is; False where it is not known."""
    return bool(tx.execute(_SQL["delete_user_identity"], provider_id=provider.id, principal_id=principal_id))
