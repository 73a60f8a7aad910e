"""Tokens that somebody made up: none is taken, none is told why, and none makes us ask anybody anything."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.oidc.errors import TokenRefused
from chalicelib.identity.oidc.tokens import MOST_CHARACTERS, may_be_token, read_token
from tests.fixtures.issuers import JWKS, METADATA, SigningKey, forged, signing_key
from tests.unit.identity.oidc.conftest import Trust


def hmac_token(header: Mapping[str, Any], claims: Mapping[str, Any], secret: bytes) -> str:
    signed = forged(header, claims).rpartition(".")[0]
    signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def public_pem(key: SigningKey) -> bytes:
    pem: bytes = key.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return pem


def refuse(trusting: Trust, token: str) -> None:
    asked = list(trusting.issuer.asked)
    with pytest.raises(Unauthenticated) as raised:
        trusting.authenticate(token)
    assert raised.value.detail == "refused"
    assert raised.value.__cause__ is None
    assert trusting.issuer.asked == asked, "the issuer was asked for the sake of a forgery"


def signed_by(trusting: Trust, key: SigningKey, headers: Mapping[str, Any]) -> str:
    claims = trusting.issuer.claims(trusting.lorebase.clock.now())
    return jwt.encode(claims, key.private, algorithm=key.algorithm, headers=dict(headers))


FORGERIES: Mapping[str, Callable[[Mapping[str, Any], SigningKey], str]] = {
    "not signed at all": lambda claims, _: forged({"alg": "none"}, claims),
    "not signed, in other letters": lambda claims, _: forged({"alg": "nOnE", "kid": "key-1"}, claims, b"x"),
    "signed with the public key as a secret": lambda claims, key: hmac_token(
        {"alg": "HS256", "kid": "key-1"}, claims, public_pem(key)
    ),
    "signed with the modulus as a secret": lambda claims, key: hmac_token(
        {"alg": "HS256", "kid": "key-1"}, claims, key.public["n"].encode()
    ),
    "the secret's signature under another name": lambda claims, key: hmac_token(
        {"alg": "RS256", "kid": "key-1"}, claims, public_pem(key)
    ),
    "no algorithm": lambda claims, _: forged({"kid": "key-1"}, claims, b"x"),
    "an algorithm that is a list": lambda claims, _: forged({"alg": ["RS256"], "kid": "key-1"}, claims, b"x"),
    "a signature of nothing": lambda claims, _: forged({"alg": "RS256", "kid": "key-1"}, claims, b"\x00"),
    "a signature for another kind of key": lambda claims, _: forged(
        {"alg": "ES256", "kid": "key-1"}, claims, b"x" * 64
    ),
    "a kid that is an object": lambda claims, _: forged({"alg": "RS256", "kid": {"a": 1}}, claims, b"x"),
    "a kid of a thousand letters": lambda claims, _: forged({"alg": "RS256", "kid": "k" * 1000}, claims, b"x"),
    "a kid that is empty": lambda claims, _: forged({"alg": "RS256", "kid": ""}, claims, b"x"),
    "a header that asks for an extension": lambda claims, _: forged(
        {"alg": "RS256", "kid": "key-1", "crit": ["exp"], "exp": 1}, claims, b"x"
    ),
    "a payload that is not encoded": lambda claims, _: forged(
        {"alg": "RS256", "kid": "key-1", "b64": False, "crit": ["b64"]}, claims, b"x"
    ),
    "a token of another kind": lambda claims, _: forged(
        {"alg": "RS256", "kid": "key-1", "typ": "logout+jwt"}, claims, b"x"
    ),
    "a typ that is a list": lambda claims, _: forged({"alg": "RS256", "typ": ["JWT"]}, claims, b"x"),
}


@pytest.mark.parametrize("make", FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_refused(
    trusting: Trust, first_key: SigningKey, make: Callable[[Mapping[str, Any], SigningKey], str]
) -> None:
    trusting.trust(admits=True)
    refuse(trusting, make(trusting.issuer.claims(trusting.lorebase.clock.now()), first_key))


@pytest.mark.parametrize("name", ["jku", "x5u", "jwk", "x5c"])
def test_a_key_that_the_token_brings_along_is_not_looked_at(trusting: Trust, second_key: SigningKey, name: str) -> None:
    trusting.trust(admits=True)
    value = {"jku": trusting.issuer.url + "/evil", "x5u": trusting.issuer.url + "/evil", "x5c": ["AAAA"]}.get(
        name, second_key.public
    )
    refuse(trusting, signed_by(trusting, second_key, {"kid": "key-1", name: value}))
    assert set(trusting.issuer.asked) == {METADATA, JWKS}


@pytest.mark.parametrize(
    "kid", ["../../dev/null", "' or 1=1 --", "key-1\x00", "KEY-1", "key-1 ", "%(kid)s", "http://127.0.0.1/key"]
)
def test_a_kid_is_a_name_and_nothing_else(trusting: Trust, second_key: SigningKey, kid: str) -> None:
    trusting.trust(admits=True)
    refuse(trusting, signed_by(trusting, second_key, {"kid": kid}))


def test_another_issuers_token_does_not_pass_with_this_issuers_name(trusting: Trust, second_key: SigningKey) -> None:
    trusting.trust(admits=True)
    refuse(trusting, signed_by(trusting, second_key, {"kid": "key-1"}))


def test_no_part_of_a_good_token_may_be_changed(trusting: Trust) -> None:
    trusting.trust(admits=True)
    token = trusting.token()
    trusting.authenticate(token)
    header, _, signature = token.split(".")
    changed = trusting.issuer.claims(trusting.lorebase.clock.now(), sub="somebody-else")
    payload = base64.urlsafe_b64encode(json.dumps(changed).encode()).rstrip(b"=").decode()
    refuse(trusting, f"{header}.{payload}.{signature}")
    refuse(trusting, token + ".x")
    refuse(trusting, token.rpartition(".")[0] + ".")
    refuse(trusting, f" {token}")


def test_claims_that_are_there_twice_are_refused_though_they_are_signed(trusting: Trust) -> None:
    trusting.trust(admits=True)
    claims = json.dumps(trusting.issuer.claims(trusting.lorebase.clock.now()))
    twice = claims[:-1] + ', "sub": "somebody-else"}'
    key = trusting.issuer.key
    token = jwt.api_jws.encode(twice.encode(), key.private, algorithm="RS256", headers={"kid": key.key_id})
    refuse(trusting, token)


@pytest.mark.parametrize("payload", [b"[]", b'"x"', b"null", b"{", b"\xff", b'{"exp": NaN}', b"[" * 4000, b""])
def test_signed_nonsense_is_refused(trusting: Trust, payload: bytes) -> None:
    trusting.trust(admits=True)
    key = trusting.issuer.key
    refuse(trusting, jwt.api_jws.encode(payload, key.private, algorithm="RS256", headers={"kid": key.key_id}))


def test_a_token_without_kid_is_taken_where_one_key_fits_and_only_then(trusting: Trust, second_key: SigningKey) -> None:
    trusting.issuer.keys.append(signing_key("curve", "ES256").public)
    trusting.trust(admits=True)
    nameless = signed_by(trusting, trusting.issuer.key, {})
    trusting.authenticate(nameless)
    trusting.issuer.keys.append(second_key.public)
    trusting.lorebase.clock.move(minutes=11)
    with pytest.raises(Unauthenticated):
        trusting.authenticate(nameless)
    assert trusting.authenticate(trusting.token())


def test_two_keys_of_one_name_and_kind_verify_nothing(trusting: Trust, second_key: SigningKey) -> None:
    trusting.issuer.keys.append({**second_key.public, "kid": "key-1"})
    trusting.trust(admits=True)
    refuse(trusting, trusting.token())


def test_a_huge_token_is_not_even_read() -> None:
    assert not may_be_token("a." * MOST_CHARACTERS)
    with pytest.raises(TokenRefused):
        read_token("a.b." + "c" * MOST_CHARACTERS)


@given(text=st.one_of(st.text(max_size=300), st.from_regex(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_text_is_more_than_refused(text: str) -> None:
    with pytest.raises(TokenRefused):
        read_token(text)


_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)
_HEADER_NAMES = ("alg", "kid", "typ", "crit", "jku", "jwk", "b64", "cty")
_CLAIM_NAMES = ("aud", "sub", "exp", "nbf", "iat", "azp", "token_use", "client_id", "cnf", "events")


@given(
    header=st.dictionaries(st.sampled_from(_HEADER_NAMES), _json),
    claims=st.dictionaries(st.sampled_from(_CLAIM_NAMES), _json),
    alg=st.sampled_from(["RS256", "ES256", "HS256", "none"]),
)
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_whatever_stands_in_a_token_nobody_signed_it_is_refused(
    trusting: Trust, header: dict[str, Any], claims: dict[str, Any], alg: str
) -> None:
    if "drawn" not in trusting.lorebase.__dict__:
        trusting.trust(admits=True)
        trusting.lorebase.__dict__["drawn"] = True
    good = trusting.issuer.claims(trusting.lorebase.clock.now())
    refuse(trusting, forged({"alg": alg, "kid": "key-1", **header}, {**good, **claims}, b"signature"))
