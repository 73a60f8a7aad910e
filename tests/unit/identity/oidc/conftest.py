"""A Lorebase whose organization trusts an issuer of the tests."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from chalicelib.identity.model import KeyScope, OrganizationId, Principal
from chalicelib.identity.oidc.algorithms import DEFAULT_ALGORITHMS
from chalicelib.identity.oidc.authenticate_token import authenticate_token
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.identity.oidc.manage_providers import create_provider
from chalicelib.identity.oidc.model import IdentityProvider, Terms
from chalicelib.platform.local.issuer_documents import DirectIssuerDocuments
from tests.fixtures.canaries import no_leaks, pytest_runtest_makereport
from tests.fixtures.issuers import CLIENT, Issuer, first_key, issuer, second_key
from tests.fixtures.lorebases import Lorebase

__all__ = ["first_key", "issuer", "no_leaks", "pytest_runtest_makereport", "second_key"]

FRESH_FOR = timedelta(minutes=10)
TERMS = Terms(
    name="Our directory",
    audiences=[CLIENT],
    algorithms=list(DEFAULT_ALGORITHMS),
    scopes=frozenset(KeyScope),
    name_claim="name",
    email_claim="email",
    email_verified_claim="email_verified",
    links_by_email=False,
    admits=False,
    email_domains=None,
)


@dataclass
class Trust:
    """A Lorebase and an issuer; `provider` is there once `trust` was called."""

    lorebase: Lorebase
    issuer: Issuer
    issuers: Issuers

    def trust(
        self, *, organization: OrganizationId | None = None, owner: Principal | None = None, **terms: Any
    ) -> IdentityProvider:
        """Let an organization, by default the first, trust the issuer."""
        asker = owner or self.lorebase.owner
        with self.lorebase.database.transaction() as tx:
            return create_provider(
                tx,
                principal=asker,
                organization_id=organization or asker.organization_id,
                issuer=self.issuer.url,
                terms=replace(TERMS, **terms),
                documents=self.issuers.documents,
                now=self.lorebase.clock.now(),
            )

    def token(self, **changes: Any) -> str:
        return self.issuer.token(self.lorebase.clock.now(), **changes)

    def authenticate(self, token: str) -> Principal:
        return authenticate_token(
            self.lorebase.database, token, issuers=self.issuers, now=self.lorebase.clock.now(), refusal="refused"
        )


@pytest.fixture
def trusting(lorebase: Lorebase, issuer: Issuer) -> Trust:
    """A Lorebase beside an issuer that it does not know yet."""
    return Trust(lorebase, issuer, Issuers(DirectIssuerDocuments(takes_loopback=True), fresh_for=FRESH_FOR))
