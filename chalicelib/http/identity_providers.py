"""Identity providers: issuers whose tokens an organization takes from its users."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.identity_provider_resources import (
    IdentityProviderChanges,
    IdentityProviderList,
    IdentityProviderResource,
    NewIdentityProvider,
    identity_provider_resource,
    terms_of,
)
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Routes
from chalicelib.identity.errors import InvalidIdentity, OrganizationNotFound
from chalicelib.identity.oidc.errors import (
    IdentityProviderNotFound,
    InvalidIdentityProvider,
    IssuerRefused,
    IssuerTaken,
)
from chalicelib.identity.oidc.manage_providers import (
    change_provider,
    create_provider,
    delete_provider,
    list_providers,
    read_provider,
)
from chalicelib.identity.oidc.model import IdentityProviderId, Terms
from chalicelib.identity.rights import ActionForbidden
from chalicelib.platform.errors import IssuerDocumentRefused, IssuerUnavailable

routes = Routes("identity_providers")

_PROVIDERS = "/v1/organizations/{organization_id}/identity-providers"
_PROVIDER = "/v1/organizations/{organization_id}/identity-providers/{provider_id}"
_PROBLEMS = (OrganizationNotFound, ActionForbidden)
_FOUND_PROBLEMS = (*_PROBLEMS, IdentityProviderNotFound)


@routes.on(
    "GET",
    _PROVIDERS,
    query=Page,
    body=NoBody,
    answers={200: IdentityProviderList},
    problems=(*_PROBLEMS, InvalidCursor),
)
def list_identity_providers(call: Call[Page, NoBody]) -> Answer:
    """List the issuers that the organization trusts."""
    providers = list_providers(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, providers, position_of=lambda provider: [str(provider.id)])
    return Answer(
        body=IdentityProviderList(
            identity_providers=[identity_provider_resource(each) for each in shown], next_cursor=next_cursor
        )
    )


def _show_again(call: Call[Any, Any], provider_id: UUID) -> Answer:
    provider = read_provider(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        provider_id=IdentityProviderId(provider_id),
    )
    return Answer(body=identity_provider_resource(provider))


@routes.on(
    "POST",
    _PROVIDERS,
    query=NoQuery,
    body=NewIdentityProvider,
    answers={201: IdentityProviderResource},
    problems=(
        *_PROBLEMS,
        IdentityProviderNotFound,
        InvalidIdentity,
        InvalidIdentityProvider,
        IssuerTaken,
        IssuerRefused,
        IssuerDocumentRefused,
        IssuerUnavailable,
    ),
    show_again=_show_again,
)
def add_identity_provider(call: Call[NoQuery, NewIdentityProvider]) -> Answer:
    """Trust an issuer; it is asked for its keys at once."""
    issuers = call.application.issuers
    provider = create_provider(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        issuer=call.body.issuer,
        terms=Terms(**terms_of(call.body.model_dump(exclude={"issuer"}))),
        documents=issuers.documents if issuers else None,
        now=call.application.clock.now(),
    )
    location = f"/v1/organizations/{call.organization_id}/identity-providers/{provider.id}"
    return Answer(201, identity_provider_resource(provider), headers={"Location": location}, about=provider.id)


@routes.on(
    "GET",
    _PROVIDER,
    query=NoQuery,
    body=NoBody,
    answers={200: IdentityProviderResource},
    problems=_FOUND_PROBLEMS,
)
def show_identity_provider(call: Call[NoQuery, NoBody]) -> Answer:
    """Show an issuer that the organization trusts."""
    return _show_again(call, call.ids["provider_id"])


@routes.on(
    "PATCH",
    _PROVIDER,
    query=NoQuery,
    body=IdentityProviderChanges,
    answers={200: IdentityProviderResource},
    problems=(*_FOUND_PROBLEMS, InvalidIdentity, InvalidIdentityProvider),
)
def change_identity_provider(call: Call[NoQuery, IdentityProviderChanges]) -> Answer:
    """Change the terms on which an issuer's tokens are taken, or disable or enable it."""
    given = call.body.model_dump(exclude_unset=True, exclude={"disabled"})
    provider = change_provider(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        provider_id=_provider_id(call.ids),
        # To have no domains is a term of its own; null for another term says nothing.
        changes=terms_of(
            {name: value for name, value in given.items() if value is not None or name == "email_domains"}
        ),
        disabled=call.body.disabled,
        now=call.application.clock.now(),
    )
    return Answer(body=identity_provider_resource(provider))


@routes.on("DELETE", _PROVIDER, query=NoQuery, body=NoBody, answers={204: None}, problems=_FOUND_PROBLEMS)
def remove_identity_provider(call: Call[NoQuery, NoBody]) -> Answer:
    """Trust an issuer no longer, at once; its users stay members."""
    delete_provider(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        provider_id=_provider_id(call.ids),
    )
    return Answer(204)


def _provider_id(ids: Mapping[str, UUID]) -> IdentityProviderId:
    return IdentityProviderId(ids["provider_id"])
