"""Tells an admin what would become of a token, and changes nothing but what is known of the issuer's keys."""

from dataclasses import dataclass
from datetime import datetime

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import OrganizationId, Principal, PrincipalId
from chalicelib.identity.oidc.claims import subject_of
from chalicelib.identity.oidc.errors import TokenRefused
from chalicelib.identity.oidc.find_user import foresee_user, verified_email
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.identity.oidc.manage_providers import read_provider
from chalicelib.identity.oidc.model import IdentityProvider, IdentityProviderId, KnownBy
from chalicelib.identity.oidc.tokens import UnverifiedToken, read_token
from chalicelib.identity.oidc.verify_token import verify_token


@dataclass(frozen=True, slots=True)
class Verdict:
    """What would become of a token. `reason` is why it would be refused.

    `known_by` is how its subject would become known; None where it is known already, and `principal_id` is None where
    a new member would be made.
    """

    is_accepted: bool
    reason: str | None = None
    subject: str | None = None
    verified_email: str | None = None
    principal_id: PrincipalId | None = None
    known_by: KnownBy | None = None


def try_token(
    database: Database,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    provider_id: IdentityProviderId,
    text: str,
    issuers: Issuers | None,
    now: datetime,
) -> Verdict:
    """Return what would become of a token for this provider. Raises IdentityProviderNotFound, ActionForbidden."""
    with database.transaction() as tx:
        meant = read_provider(tx, principal=principal, organization_id=organization_id, provider_id=provider_id)
    if issuers is None:
        return Verdict(is_accepted=False, reason="This deployment takes no tokens of issuers.")
    try:
        token = _read(text, meant)

        def foresee(tx: Transaction, provider: IdentityProvider) -> Verdict:
            foreseen = foresee_user(tx, provider=provider, claims=token.claims)
            return Verdict(
                is_accepted=True,
                subject=subject_of(token.claims),
                verified_email=verified_email(token.claims, provider.terms),
                principal_id=foreseen.principal_id,
                known_by=foreseen.known_by,
            )

        return verify_token(database, token, issuers=issuers, now=now, then=foresee)
    except TokenRefused as refused:
        return Verdict(is_accepted=False, reason=refused.detail)


def _read(text: str, meant: IdentityProvider) -> UnverifiedToken:
    token = read_token(text)
    if token.issuer != meant.issuer:
        raise TokenRefused("The token is of another issuer; the two must be the same to the letter.")
    return token
