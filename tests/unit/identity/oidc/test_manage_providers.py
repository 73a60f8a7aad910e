"""Admins say which issuers are trusted; one that cannot be is refused with the reason, and each is trusted once."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.errors import LorebaseError
from chalicelib.identity.errors import InvalidIdentity, OrganizationNotFound, Unauthenticated
from chalicelib.identity.model import WorkspaceRole
from chalicelib.identity.oidc.errors import (
    IdentityProviderNotFound,
    InvalidIdentityProvider,
    IssuerRefused,
    IssuerTaken,
)
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.identity.oidc.manage_providers import (
    change_provider,
    create_provider,
    delete_provider,
    list_providers,
    read_provider,
)
from chalicelib.identity.oidc.model import IdentityProvider, IdentityProviderId
from chalicelib.identity.rights import ActionForbidden
from chalicelib.platform.errors import IssuerDocumentRefused, IssuerUnavailable
from chalicelib.platform.local.issuer_documents import DirectIssuerDocuments
from tests.fixtures.issuers import JWKS, METADATA, Answer, signing_key
from tests.unit.identity.oidc.conftest import FRESH_FOR, TERMS, Trust


def change(
    trusting: Trust, provider: IdentityProvider, *, disabled: bool | None = None, **changes: Any
) -> IdentityProvider:
    with trusting.lorebase.database.transaction() as tx:
        return change_provider(
            tx,
            principal=trusting.lorebase.owner,
            organization_id=provider.organization_id,
            provider_id=provider.id,
            changes=changes,
            disabled=disabled,
            now=trusting.lorebase.clock.now(),
        )


def test_an_issuer_is_asked_at_once_and_kept_as_it_is_written(trusting: Trust) -> None:
    provider = trusting.trust(email_domains=["EXAMPLE.com"])
    assert trusting.issuer.asked == [METADATA, JWKS]
    assert provider.issuer == trusting.issuer.url
    assert provider.terms == replace(TERMS, email_domains=["example.com"])
    with trusting.lorebase.database.transaction() as tx:
        listed = list_providers(
            tx,
            principal=trusting.lorebase.owner,
            organization_id=provider.organization_id,
            after=None,
            limit=10,
        )
    assert listed == [provider]


METADATA_FAULTS: Mapping[str, tuple[Answer, type[LorebaseError], str]] = {
    "not there": (Answer(b"{}", status=404), IssuerDocumentRefused, "404"),
    "away": (Answer(b"{}", status=503), IssuerUnavailable, "503"),
    "elsewhere": (Answer(b"{}", status=302, headers={"Location": "/x"}), IssuerDocumentRefused, "redirect"),
    "no JSON": (Answer(b"<html>", media_type="text/html"), IssuerDocumentRefused, "JSON"),
    "a list": (Answer(b"[]"), IssuerDocumentRefused, "no object"),
    "another issuer": (Answer(b'{"issuer": "https://evil.invalid"}'), IssuerRefused, "https://evil.invalid"),
    "a template": (Answer(b'{"issuer": "https://login.invalid/{tenantid}"}'), IssuerRefused, "tenantid"),
    "no issuer": (Answer(b"{}"), IssuerRefused, "nothing"),
}


@pytest.mark.parametrize(("answer", "error", "said"), METADATA_FAULTS.values(), ids=METADATA_FAULTS)
def test_an_issuer_that_cannot_be_trusted_is_refused_with_the_reason(
    trusting: Trust, answer: Answer, error: type[LorebaseError], said: str
) -> None:
    trusting.issuer.answers[METADATA] = answer
    with pytest.raises(error) as raised:
        trusting.trust()
    assert said in raised.value.detail


def test_a_slash_at_the_end_is_told_apart(trusting: Trust) -> None:
    slashed = json.dumps({**trusting.issuer.metadata, "issuer": trusting.issuer.url + "/"}).encode()
    trusting.issuer.answers[METADATA] = Answer(slashed)
    with pytest.raises(IssuerRefused) as raised:
        trusting.trust()
    assert "slash" in raised.value.detail


def test_an_issuer_may_describe_itself_as_an_authorization_server(trusting: Trust) -> None:
    trusting.issuer.answers[METADATA] = Answer(b"{}", status=404)
    trusting.issuer.answers["/.well-known/oauth-authorization-server"] = Answer(
        json.dumps(trusting.issuer.metadata).encode()
    )
    assert trusting.trust().jwks_uri == trusting.issuer.url + JWKS


@pytest.mark.parametrize(
    "uri", [None, 5, "", "ftp://x.invalid/keys", "https:///keys", "/keys", "https://a@b.invalid/k"]
)
def test_keys_must_be_somewhere(trusting: Trust, uri: object) -> None:
    trusting.issuer.answers[METADATA] = Answer(json.dumps({"issuer": trusting.issuer.url, "jwks_uri": uri}).encode())
    with pytest.raises((IssuerRefused, IssuerDocumentRefused)):
        trusting.trust()


def test_an_issuer_without_a_key_for_the_terms_is_refused_and_says_what_it_has(trusting: Trust) -> None:
    trusting.issuer.keys = [signing_key("k", "ES384").public]
    with pytest.raises(IssuerRefused) as raised:
        trusting.trust()
    assert "ES384" in raised.value.detail


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "ftp://a.invalid",
        "http://",
        "https://",
        "https://a.invalid?x=1",
        "https://a.invalid#x",
        "https://u@a.invalid",
        "https://a.invalid/" + "x" * 500,
        "https://ä.invalid",
        "https://a.invalid:0",
        "https://a.invalid:99999",
        "https://a.invalid/\x00",
        "https://a.invalid/ x",
        "https://[::1",
    ],
)
def test_what_is_no_issuer_is_refused_before_anybody_is_asked(trusting: Trust, text: str) -> None:
    trusting.issuer.url = text
    with pytest.raises(IssuerRefused):
        trusting.trust()
    assert trusting.issuer.asked == []


def test_http_is_for_trying_out_alone(trusting: Trust) -> None:
    trusting.issuers = Issuers(DirectIssuerDocuments(), fresh_for=FRESH_FOR)
    with pytest.raises(IssuerRefused):
        trusting.trust()
    assert trusting.issuer.asked == []


@pytest.mark.parametrize(
    "terms",
    [
        {"audiences": []},
        {"audiences": [""]},
        {"audiences": ["a"] * 21},
        {"audiences": ["a\x00"]},
        {"algorithms": []},
        {"algorithms": ["HS256"]},
        {"algorithms": ["none"]},
        {"algorithms": ["RS256", "rs256"]},
        {"scopes": frozenset()},
        {"name_claim": ""},
        {"email_claim": "x" * 201},
        {"email_domains": []},
        {"email_domains": ["com"]},
        {"email_domains": ["@example.com"]},
        {"email_domains": ["exa mple.com"]},
        {"email_domains": ["-a.com"]},
        {"email_domains": ["*.com"]},
        {"name": ""},
    ],
    ids=str,
)
def test_terms_that_cannot_be_meant_are_refused(trusting: Trust, terms: Mapping[str, Any]) -> None:
    with pytest.raises((InvalidIdentityProvider, InvalidIdentity)):
        trusting.trust(**terms)
    provider = trusting.trust()
    with pytest.raises((InvalidIdentityProvider, InvalidIdentity)):
        change(trusting, provider, **terms)


def test_an_issuer_is_trusted_by_one_organization_and_lets_nobody_into_another(trusting: Trust) -> None:
    other = trusting.lorebase.found("Other").owner
    trusting.trust(owner=other, admits=True)
    with pytest.raises(IssuerTaken):
        trusting.trust(admits=True)
    admitted = trusting.authenticate(trusting.token())
    assert admitted.organization_id == other.organization_id


def test_only_admins_say_whom_to_trust(trusting: Trust) -> None:
    provider = trusting.trust()
    organization_id = provider.organization_id
    stranger = trusting.lorebase.found("Other").owner
    for asker, error in (
        (trusting.lorebase.member(WorkspaceRole.OWNER), ActionForbidden),
        (stranger, OrganizationNotFound),
    ):
        trusting.issuer.asked.clear()
        with trusting.lorebase.database.transaction() as tx:
            with pytest.raises(error):
                create_provider(
                    tx,
                    principal=asker,
                    organization_id=organization_id,
                    issuer=trusting.issuer.url,
                    terms=TERMS,
                    documents=trusting.issuers.documents,
                    now=trusting.lorebase.clock.now(),
                )
            for act in (read_provider, delete_provider):
                with pytest.raises(error):
                    act(tx, principal=asker, organization_id=organization_id, provider_id=provider.id)
        assert trusting.issuer.asked == []
    with trusting.lorebase.database.transaction() as tx, pytest.raises(IdentityProviderNotFound):
        read_provider(tx, principal=stranger, organization_id=stranger.organization_id, provider_id=provider.id)


def test_changed_terms_work_on_the_next_request(trusting: Trust) -> None:
    provider = trusting.trust(admits=True)
    trusting.authenticate(trusting.token())
    changed = change(trusting, provider, audiences=["another"])
    assert changed.terms == replace(provider.terms, audiences=["another"])
    with pytest.raises(Unauthenticated):
        trusting.authenticate(trusting.token())
    assert trusting.authenticate(trusting.token(aud="another"))


def test_a_disabled_provider_lets_nobody_in_until_it_is_enabled(trusting: Trust) -> None:
    provider = trusting.trust(admits=True)
    trusting.authenticate(trusting.token())
    assert change(trusting, provider, disabled=True).disabled_at is not None
    with pytest.raises(Unauthenticated):
        trusting.authenticate(trusting.token())
    assert change(trusting, provider, disabled=False).disabled_at is None
    assert trusting.authenticate(trusting.token())


def test_with_its_provider_an_issuer_ends_at_once_and_its_users_stay_members(trusting: Trust) -> None:
    provider = trusting.trust(admits=True)
    before = trusting.authenticate(trusting.token())
    with trusting.lorebase.database.transaction() as tx:
        delete_provider(
            tx,
            principal=trusting.lorebase.owner,
            organization_id=provider.organization_id,
            provider_id=provider.id,
        )
    with pytest.raises(Unauthenticated):
        trusting.authenticate(trusting.token())
    trusting.trust(admits=True)
    assert trusting.authenticate(trusting.token()).id != before.id
    with pytest.raises(IdentityProviderNotFound):
        change(trusting, replace(provider, id=IdentityProviderId(new_id())), name="x")
