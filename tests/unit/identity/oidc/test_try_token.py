"""An admin sees what would become of a token, and nothing is changed by looking."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.identity.model import WorkspaceRole
from chalicelib.identity.oidc.errors import IdentityProviderNotFound
from chalicelib.identity.oidc.model import IdentityProvider, IdentityProviderId
from chalicelib.identity.oidc.try_token import Verdict, try_token
from chalicelib.identity.rights import ActionForbidden
from tests.fixtures.issuers import CLIENT
from tests.unit.identity.oidc.conftest import Trust


def verdict(trusting: Trust, provider: IdentityProvider, text: str) -> Verdict:
    return try_token(
        trusting.lorebase.database,
        principal=trusting.lorebase.owner,
        organization_id=provider.organization_id,
        provider_id=provider.id,
        text=text,
        issuers=trusting.issuers,
        now=trusting.lorebase.clock.now(),
    )


def test_a_token_is_tried_without_anything_being_changed(trusting: Trust) -> None:
    provider = trusting.trust(admits=True)
    token = trusting.token(email="bob@example.com", email_verified=True)
    foreseen = verdict(trusting, provider, token)
    assert (foreseen.is_accepted, foreseen.known_by, foreseen.principal_id) == (True, "admission", None)
    assert (foreseen.subject, foreseen.verified_email) == ("subject-1", "bob@example.com")
    assert verdict(trusting, provider, token) == foreseen
    bob = trusting.authenticate(token)
    assert verdict(trusting, provider, token) == replace(foreseen, known_by=None, principal_id=bob.id)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"aud": "x"}, "audience"),
        ({"exp": 1}, "expired"),
        ({"iss": "https://issuer.invalid"}, "another issuer"),
        ({"sub": None}, "sub"),
        ({"aud": [CLIENT, "x"]}, "azp"),
    ],
)
def test_an_admin_is_told_why_a_token_would_be_refused(
    trusting: Trust, changes: Mapping[str, Any], reason: str
) -> None:
    provider = trusting.trust(admits=True)
    refused = verdict(trusting, provider, trusting.token(**changes))
    assert not refused.is_accepted
    assert reason in str(refused.reason)


def test_a_stranger_is_foreseen_as_refused(trusting: Trust) -> None:
    provider = trusting.trust()
    assert "admits nobody" in str(verdict(trusting, provider, trusting.token()).reason)
    assert "no signed token" in str(verdict(trusting, provider, "x").reason)


def test_only_admins_try_tokens_and_only_those_of_their_own_providers(trusting: Trust) -> None:
    provider = trusting.trust(admits=True)
    with pytest.raises(IdentityProviderNotFound):
        verdict(trusting, replace(provider, id=IdentityProviderId(new_id())), trusting.token())
    trusting.lorebase.owner = trusting.lorebase.member(WorkspaceRole.OWNER)
    with pytest.raises(ActionForbidden):
        verdict(trusting, provider, trusting.token())
