"""The words of OpenID Connect as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType
from uuid import UUID

from chalicelib.identity.model import KeyScope, OrganizationId, PrincipalId

IdentityProviderId = NewType("IdentityProviderId", UUID)
PublicKey = Mapping[str, Any]
"""A JSON Web Key that verifies signatures, with what is public and needed alone."""


class KnownBy(StrEnum):
    """How a subject came to be a user: the user with its address, or a new one."""

    EMAIL = "email"
    ADMISSION = "admission"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an organization asks of an issuer's tokens, and whom it takes their subjects for.

    `audiences` are values of `aud`, one of which a token must bear. `links_by_email` takes a subject for the user with
    its verified address, once; `admits` makes a new member of anybody else, or, with `email_domains`, of whom the
    issuer vouches to have an address there.
    """

    name: str
    audiences: Sequence[str]
    algorithms: Sequence[str]
    scopes: frozenset[KeyScope]
    name_claim: str
    email_claim: str
    email_verified_claim: str
    links_by_email: bool
    admits: bool
    email_domains: Sequence[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityProvider:
    """An issuer that an organization trusts, and on which terms."""

    id: IdentityProviderId
    organization_id: OrganizationId
    issuer: str
    terms: Terms
    jwks_uri: str
    keys_fetched_at: datetime
    keys_sought_at: datetime
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True)
class KnownUser:
    """Whom a subject is: as told from what is kept, or as it would be kept at the first request."""

    principal_id: PrincipalId | None
    known_by: KnownBy | None


@dataclass(frozen=True, slots=True)
class UserIdentity:
    """Which user a provider's subject stands for, and how it came to be known."""

    principal_id: PrincipalId
    subject: str
    known_by: KnownBy
    created_at: datetime
    last_used_at: datetime | None
