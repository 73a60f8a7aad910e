"""The keys of an issuer: which of a JSON Web Key Set are of use, which one a token is for, and whether it signed it.

PyJWT is imported on the first token: requests with an API key do without.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from chalicelib.identity.oidc.algorithms import KEY_FORMS
from chalicelib.identity.oidc.errors import IssuerRefused, TokenRefused, UnknownKey
from chalicelib.identity.oidc.model import PublicKey
from chalicelib.identity.oidc.tokens import MOST_KEY_ID_CHARACTERS, UnverifiedToken

if TYPE_CHECKING:
    from jwt import PyJWK

MOST_KEYS = 1000
# NIST SP 800-131A rev. 2 takes no less; more than the upper bound is no stronger in practice, and slow to check.
_LEAST_RSA_BITS, _MOST_RSA_BITS = 2048, 8192
_MOST_EXPONENT = 2**33
_PUBLIC = {"RSA": ("n", "e"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
_CURVES = frozenset(form.curve for form in KEY_FORMS.values() if form.curve)


@dataclass(frozen=True, slots=True)
class KeySet:
    """The keys of an issuer as fetched at a moment; what is made ready for checking is kept beside them."""

    fetched_at: datetime
    keys: Sequence[PublicKey]
    ready: dict[tuple[int, str], "PyJWK"] = field(default_factory=dict, compare=False, repr=False)


def usable_keys(document: Mapping[str, Any]) -> Sequence[PublicKey]:
    """Return the keys of a set that can verify a signature; others are left out, as RFC 7517 (5) wants.

    Left out are secrets shared with the issuer, what holds a private part, RSA keys below 2,048 bits, and unknown
    kinds and curves. Raises IssuerRefused where the document is no set of keys.
    """
    given = document.get("keys")
    if not isinstance(given, list) or not all(isinstance(key, dict) for key in given):
        raise IssuerRefused("What the issuer's jwks_uri leads to is no JSON Web Key Set.")
    if len(given) > MOST_KEYS:
        raise IssuerRefused(f"The issuer has more than {MOST_KEYS} keys.")
    return [_public_part(key) for key in given if _is_usable(key)]


def find_key(keys: Sequence[PublicKey], token: UnverifiedToken) -> int:
    """Return the place of the one key that the token can be signed with.

    Raises UnknownKey where there is none of the name that the token gives, TokenRefused where it does not fit the
    algorithm, or where more than one would do.
    """
    named = [place for place, key in enumerate(keys) if token.key_id is None or key.get("kid") == token.key_id]
    if not named:
        raise UnknownKey("The token names a key that the issuer is not known to have.")
    fitting = [place for place in named if fits(keys[place], token.algorithm)]
    if not fitting:
        raise TokenRefused("The token's algorithm is not that of the key it names.")
    if len(fitting) > 1:
        raise TokenRefused("The token leaves open which of the issuer's keys signed it.")
    return fitting[0]


def verify_signature(token: UnverifiedToken, key_set: KeySet) -> None:
    """Let a token pass that one of these keys signed, or raise UnknownKey or TokenRefused."""
    from jwt import PyJWK  # noqa: PLC0415 - slow to import, see above
    from jwt.api_jws import PyJWS  # noqa: PLC0415
    from jwt.exceptions import PyJWTError  # noqa: PLC0415

    place = find_key(key_set.keys, token)
    try:
        key = key_set.ready.get((place, token.algorithm))
        if key is None:
            key = PyJWK(dict(key_set.keys[place]), algorithm=token.algorithm)
            key_set.ready[place, token.algorithm] = key
        PyJWS(algorithms=[token.algorithm]).decode(token.text, key, algorithms=[token.algorithm])
    except (PyJWTError, ValueError, TypeError) as error:
        raise TokenRefused("The signature is not of the key that the token names.") from error


def fits(key: PublicKey, algorithm: str) -> bool:
    """Tell whether a usable key is one for signatures of an algorithm."""
    form = KEY_FORMS[algorithm]
    is_of_form = key["kty"] == form.kty and (form.curve is None or key.get("crv") == form.curve)
    return is_of_form and key.get("alg", algorithm) == algorithm


def _public_part(key: Mapping[str, Any]) -> PublicKey:
    kept = ("kty", "kid", "alg", *_PUBLIC[key["kty"]])
    return {name: key[name] for name in kept if name in key}


def _is_usable(key: Mapping[str, Any]) -> bool:
    kind = key.get("kty")
    if not isinstance(kind, str) or kind not in _PUBLIC or _PRIVATE & key.keys():
        return False
    if key.get("use", "sig") != "sig" or not _may_verify(key.get("key_ops", ["verify"])):
        return False
    if not all(isinstance(key.get(name), str) for name in _PUBLIC[kind]):
        return False
    if not all(isinstance(key.get(name, ""), str) for name in ("kid", "alg")):
        return False
    if len(key.get("kid", "")) > MOST_KEY_ID_CHARACTERS or key.get("alg", "RS256") not in KEY_FORMS:
        return False
    return _is_strong_rsa(key) if kind == "RSA" else key["crv"] in _CURVES


def _may_verify(operations: object) -> bool:
    return isinstance(operations, list) and "verify" in operations


def _is_strong_rsa(key: Mapping[str, Any]) -> bool:
    modulus, exponent = _number(key["n"]), _number(key["e"])
    return _LEAST_RSA_BITS <= modulus.bit_length() <= _MOST_RSA_BITS and 3 <= exponent < _MOST_EXPONENT


def _number(text: str) -> int:
    try:
        return int.from_bytes(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True), "big")
    except (binascii.Error, ValueError):
        return 0
