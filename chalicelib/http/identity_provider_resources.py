"""What the API says and takes of identity providers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.routing import Body, Resource
from chalicelib.identity.model import KeyScope
from chalicelib.identity.oidc.algorithms import DEFAULT_ALGORITHMS
from chalicelib.identity.oidc.model import IdentityProvider


class TermsResource(Resource):
    """On which terms tokens of an issuer are taken, and whom their subjects are taken for."""

    name: str
    audiences: Sequence[str]
    algorithms: Sequence[str]
    scopes: Sequence[KeyScope]
    name_claim: str
    email_claim: str
    email_verified_claim: str
    links_by_email: bool
    admits: bool
    email_domains: Sequence[str] | None


class IdentityProviderResource(TermsResource):
    """An issuer that the organization trusts. `keys_fetched_at` is when it last told its keys."""

    id: UUID
    issuer: str
    jwks_uri: str
    keys_fetched_at: datetime
    created_at: datetime
    disabled_at: datetime | None


class IdentityProviderList(Resource):
    """A page of identity providers, in the order they were made."""

    identity_providers: Sequence[IdentityProviderResource]
    next_cursor: str | None


class NewIdentityProvider(Body):
    """Which issuer to trust, and on which terms."""

    issuer: str = Field(description="Its URL to the letter, as its tokens have it in `iss`.")
    name: str
    audiences: Sequence[str] = Field(description="Values of `aud`, of which a token must bear one: ids of clients.")
    algorithms: Sequence[str] = Field(DEFAULT_ALGORITHMS, description="RS, PS and ES of 256, 384 and 512; EdDSA.")
    scopes: Sequence[KeyScope] = Field(tuple(KeyScope), description="What its users may do at most.")
    name_claim: str = "name"
    email_claim: str = "email"
    email_verified_claim: str = "email_verified"
    links_by_email: bool = Field(
        default=False, description="Take a subject for the user with its verified address, once."
    )
    admits: bool = Field(default=False, description="Make a member of a subject that is no user yet.")
    email_domains: Sequence[str] | None = Field(
        None, description="Admit only subjects with a verified address in one of these; null: all."
    )


class IdentityProviderChanges(Body):
    """What to change; what is absent stays. A disabled provider's tokens stop working at once."""

    name: str | None = None
    audiences: Sequence[str] | None = None
    algorithms: Sequence[str] | None = None
    scopes: Sequence[KeyScope] | None = None
    name_claim: str | None = None
    email_claim: str | None = None
    email_verified_claim: str | None = None
    links_by_email: bool | None = None
    admits: bool | None = None
    email_domains: Sequence[str] | None = Field(None, description="null: all.")
    disabled: bool | None = None


def identity_provider_resource(provider: IdentityProvider) -> IdentityProviderResource:
    """Return an identity provider as the API shows it."""
    terms = {name: getattr(provider.terms, name) for name in TermsResource.model_fields}
    own = {name: getattr(provider, name) for name in IdentityProviderResource.model_fields.keys() - terms.keys()}
    return IdentityProviderResource(**{**terms, "scopes": sorted(provider.terms.scopes)}, **own)


def terms_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return terms by name as the domain has them."""
    return {name: frozenset(value) if name == "scopes" else value for name, value in given.items()}
