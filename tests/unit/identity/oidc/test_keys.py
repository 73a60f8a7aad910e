"""What of an issuer's keys is of use: public keys for signatures, strong enough, and nothing that is secret."""

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.identity.oidc.errors import IssuerRefused
from chalicelib.identity.oidc.keys import MOST_KEYS, usable_keys
from tests.fixtures.issuers import SigningKey, signing_key


def test_what_is_kept_of_a_key_is_what_verifies(first_key: SigningKey) -> None:
    given = {**first_key.public, "x5c": ["MIIC"], "x5t": "t", "nbf": 1}
    (kept,) = usable_keys({"keys": [given]})
    assert kept == {name: first_key.public[name] for name in ("kty", "kid", "alg", "n", "e")}


@pytest.mark.parametrize("algorithm", ["ES256", "ES384", "ES512", "EdDSA"])
def test_curves_are_kept(algorithm: str) -> None:
    assert len(usable_keys({"keys": [signing_key("k", algorithm).public]})) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"use": "enc"},
        {"key_ops": ["sign"]},
        {"key_ops": "verify"},
        {"kty": "oct", "k": "c2VjcmV0"},
        {"kty": ["RSA"]},
        {"kty": None},
        {"d": "AAAA"},
        {"alg": "HS256"},
        {"alg": "RSA-OAEP"},
        {"alg": 5},
        {"kid": 5},
        {"kid": "k" * 501},
        {"n": None},
        {"n": 5},
        {"n": "!!"},
        {"n": ""},
        {"e": "AQ"},
        {"e": "A" * 20},
    ],
    ids=str,
)
def test_what_cannot_verify_or_must_not_is_left_out(first_key: SigningKey, change: Mapping[str, Any]) -> None:
    odd = {**first_key.public, **change}
    assert len(usable_keys({"keys": [odd, first_key.public]})) == 1


def test_weak_and_monstrous_keys_are_left_out(first_key: SigningKey) -> None:
    weak = signing_key("weak", bits=1024).public
    monstrous = {**first_key.public, "n": "f" * 3000}
    assert usable_keys({"keys": [weak, monstrous]}) == []


def test_unknown_curves_are_left_out() -> None:
    curve = signing_key("k", "ES256").public
    assert usable_keys({"keys": [{**curve, "crv": "secp256k1"}, {**curve, "crv": "P-256K"}]}) == []


@pytest.mark.parametrize(
    "document", [{}, {"keys": None}, {"keys": {}}, {"keys": [1]}, {"keys": [{}] * (MOST_KEYS + 1)}]
)
def test_what_is_no_set_of_keys_is_refused(document: Mapping[str, Any]) -> None:
    with pytest.raises(IssuerRefused):
        usable_keys(document)
