"""A token of a trusted issuer stands for a user, whatever signs it, while it lasts and where it is meant for us."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.manage_members import update_member
from chalicelib.identity.model import KeyScope, OrganizationRole, PrincipalKind
from chalicelib.identity.oidc.algorithms import KEY_FORMS
from tests.fixtures.issuers import CLIENT, signing_key
from tests.unit.identity.oidc.conftest import Trust


@pytest.mark.parametrize("algorithm", sorted(KEY_FORMS))
def test_every_algorithm_that_is_taken_is_verified(trusting: Trust, algorithm: str) -> None:
    trusting.issuer.rotate(signing_key("k", algorithm))
    trusting.trust(admits=True, algorithms=[algorithm])
    principal = trusting.authenticate(trusting.token(name="Ann"))
    assert (principal.name, principal.kind) == ("Ann", PrincipalKind.USER)
    token = trusting.token()
    head, payload, signature = token.split(".")
    place = len(signature) // 2
    spoilt = signature[:place] + ("A" if signature[place] != "A" else "B") + signature[place + 1 :]
    with pytest.raises(Unauthenticated):
        trusting.authenticate(f"{head}.{payload}.{spoilt}")


def test_the_user_is_the_same_on_every_request_and_has_what_its_roles_give(trusting: Trust) -> None:
    trusting.trust(admits=True)
    first = trusting.authenticate(trusting.token())
    assert trusting.authenticate(trusting.token()) == first
    assert (first.organization_role, first.roles_by_workspace) == (OrganizationRole.MEMBER, {})
    assert first.scopes == frozenset(KeyScope)
    owner = trusting.lorebase.owner
    with trusting.lorebase.database.transaction() as tx:
        update_member(
            tx,
            principal=owner,
            organization_id=owner.organization_id,
            member_id=first.id,
            organization_role=OrganizationRole.ADMIN,
        )
    risen = trusting.authenticate(trusting.token())
    assert risen.organization_role is OrganizationRole.ADMIN
    assert set(risen.roles_by_workspace) == {trusting.lorebase.workspace_id}


def test_a_provider_may_limit_what_its_users_do(trusting: Trust) -> None:
    trusting.trust(admits=True, scopes=frozenset({KeyScope.READ}))
    assert trusting.authenticate(trusting.token()).scopes == {KeyScope.READ}


TAKEN: Mapping[str, Mapping[str, Any]] = {
    "one of several audiences, issued to a known party": {"aud": ["other", CLIENT], "azp": CLIENT},
    "a list of one": {"aud": [CLIENT]},
    "one audience, whoever it was issued to": {"azp": "an-app"},
    "times as fractions": {"iat": 1893456000.5, "exp": 1893456100.25},
    "no iat": {"iat": None},
    "a claim that nobody knows": {"roles": {"a": [1, None, True]}},
    "Cognito's access token": {"aud": None, "client_id": CLIENT, "token_use": "access"},
    "Cognito's ID token": {"token_use": "id"},
    "a subject of 255 characters": {"sub": "s" * 255},
    "a subject of any letters": {"sub": "auth0|Zoë 日本"},
}


@pytest.mark.parametrize("changes", TAKEN.values(), ids=TAKEN)
def test_a_good_token_is_taken(trusting: Trust, changes: Mapping[str, Any]) -> None:
    trusting.trust(admits=True)
    assert trusting.authenticate(trusting.token(**changes)).kind is PrincipalKind.USER


REFUSED: Mapping[str, Mapping[str, Any]] = {
    "another audience": {"aud": "other"},
    "an audience that begins alike": {"aud": CLIENT + "x"},
    "no audience": {"aud": None},
    "an audience that is a number": {"aud": 5},
    "an audience that is an object": {"aud": {CLIENT: 1}},
    "audiences that are not all text": {"aud": [CLIENT, 5]},
    "no audience at all in a list": {"aud": []},
    "hundreds of audiences": {"aud": [CLIENT] * 300, "azp": CLIENT},
    "several audiences and no party": {"aud": ["other", CLIENT]},
    "several audiences and an unknown party": {"aud": ["other", CLIENT], "azp": "other"},
    "several audiences and a party that is no text": {"aud": ["other", CLIENT], "azp": [CLIENT]},
    "a client in the place of an audience": {"aud": None, "client_id": CLIENT},
    "an access token of another client": {"aud": None, "client_id": "other", "token_use": "access"},
    "an access token for another audience of the same client": {
        "aud": "other",
        "client_id": CLIENT,
        "token_use": "access",
    },
    "a refresh token": {"token_use": "refresh"},
    "a token_use that is a list": {"token_use": ["id"]},
    "an issuer with a slash at its end": {"iss": "<issuer>/"},
    "an issuer in capitals": {"iss": "HTTP<rest>"},
    "no issuer": {"iss": None},
    "an issuer that is a list": {"iss": ["<issuer>"]},
    "another issuer": {"iss": "https://issuer.invalid"},
    "no end": {"exp": None},
    "an end that is a text": {"exp": "4102444800"},
    "an end that is true": {"exp": True},
    "an end beyond all numbers": {"exp": 10**400},
    "an iat that is a text": {"iat": "now"},
    "an nbf that is null's neighbour": {"nbf": []},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is a number": {"sub": 7},
    "a subject of 256 characters": {"sub": "s" * 256},
    "a subject with a NUL": {"sub": "a\x00b"},
    "half a letter as subject": {"sub": "\ud800"},
    "a token bound to a key of its holder": {"cnf": {"jkt": "x"}},
    "a logout token": {"events": {"http://schemas.openid.net/event/backchannel-logout": {}}},
}


@pytest.mark.parametrize("changes", REFUSED.values(), ids=REFUSED)
def test_claims_that_do_not_fit_are_refused(trusting: Trust, changes: Mapping[str, Any]) -> None:
    trusting.trust(admits=True)
    url = trusting.issuer.url
    given = {
        name: value.replace("<issuer>", url).replace("HTTP<rest>", url.upper()) if isinstance(value, str) else value
        for name, value in changes.items()
    }
    if given.get("iss") == ["<issuer>"]:
        given["iss"] = None
    with pytest.raises(Unauthenticated) as raised:
        trusting.authenticate(trusting.token(**given))
    assert raised.value.detail == "refused"
    assert trusting.authenticate(trusting.token()).kind is PrincipalKind.USER


@pytest.mark.parametrize(
    ("claim", "seconds", "is_taken"),
    [
        ("exp", -59, True),
        ("exp", -60, False),
        ("nbf", 60, True),
        ("nbf", 61, False),
        ("iat", 60, True),
        ("iat", 61, False),
    ],
)
def test_clocks_may_be_a_minute_apart_and_no_more(trusting: Trust, claim: str, seconds: int, is_taken: bool) -> None:  # noqa: FBT001 - a column of the table
    trusting.trust(admits=True)
    moment = trusting.lorebase.clock.now() + timedelta(seconds=seconds)
    token = trusting.token(**{claim: int(moment.timestamp())})
    if is_taken:
        assert trusting.authenticate(token).kind is PrincipalKind.USER
    else:
        with pytest.raises(Unauthenticated):
            trusting.authenticate(token)


def test_a_token_ends_when_it_says_so(trusting: Trust) -> None:
    trusting.trust(admits=True)
    token = trusting.token()
    trusting.authenticate(token)
    trusting.lorebase.clock.move(seconds=3600 + 60)
    with pytest.raises(Unauthenticated):
        trusting.authenticate(token)


def test_an_algorithm_that_the_provider_does_not_name_is_refused(trusting: Trust) -> None:
    trusting.trust(admits=True)
    trusting.issuer.rotate(signing_key("k", "RS512"))
    trusting.lorebase.clock.move(hours=1)
    with pytest.raises(Unauthenticated):
        trusting.authenticate(trusting.token())
