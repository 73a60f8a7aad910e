"""Reads a token apart without believing it: a JSON Web Token in compact form (RFC 7519, RFC 7515)."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chalicelib.identity.oidc.algorithms import KEY_FORMS
from chalicelib.identity.oidc.errors import TokenRefused
from chalicelib.identity.oidc.strict_json import parse_object

# API Gateway takes 10,240 bytes of headers altogether
# (docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html).
MOST_CHARACTERS = 10_000
MOST_KEY_ID_CHARACTERS = 500
_MOST_ISSUER_CHARACTERS = 500
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
# RFC 9068 for access tokens; what says that it is something else (a logout token, a proof of possession) is that.
_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt", "application/jwt"})


@dataclass(frozen=True, slots=True)
class UnverifiedToken:
    """A token in parts. Whoever can write may have written it; what its header says of keys but `kid` is not read."""

    text: str
    algorithm: str
    key_id: str | None
    issuer: str
    claims: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"UnverifiedToken(algorithm={self.algorithm!r})"


def may_be_token(text: str) -> bool:
    """Tell whether a credential has the form of a token, which no API key has."""
    return len(text) <= MOST_CHARACTERS and _FORM.fullmatch(text) is not None


def read_token(text: str) -> UnverifiedToken:
    """Return the parts of a token. Raises TokenRefused."""
    if not may_be_token(text):
        raise TokenRefused("This is no signed token in compact form, or it is too long.")
    header, claims = (_parsed(part) for part in text.split(".")[:2])
    _refuse_unknown_kind(header)
    algorithm, key_id, issuer = header.get("alg"), header.get("kid"), claims.get("iss")
    if not isinstance(algorithm, str) or algorithm not in KEY_FORMS:
        raise TokenRefused("The token is signed in a way that is never taken.")
    if key_id is not None and not (isinstance(key_id, str) and 1 <= len(key_id) <= MOST_KEY_ID_CHARACTERS):
        raise TokenRefused("The token's kid is no text, or too long.")
    if not isinstance(issuer, str) or not 1 <= len(issuer) <= _MOST_ISSUER_CHARACTERS or not issuer.isprintable():
        raise TokenRefused("The token's iss is no text, or too long.")
    return UnverifiedToken(text, algorithm, key_id, issuer, claims)


def _parsed(part: str) -> dict[str, Any]:
    try:
        return parse_object(base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError) as error:
        raise TokenRefused("A part of the token is no JSON object, or names something twice.") from error


def _refuse_unknown_kind(header: Mapping[str, Any]) -> None:
    kind = header.get("typ")
    if kind is not None and not (isinstance(kind, str) and kind.lower() in _TYPES):
        raise TokenRefused("The token's typ says that it is no access or ID token.")
    if "crit" in header or "b64" in header or "zip" in header:
        raise TokenRefused("The token's header asks for an extension that is not known here.")
