"""Holds a token's claims against the terms of its provider, at a moment (RFC 7519, OpenID Connect Core 1.0, RFC 9068).

Cognito's access tokens bear `client_id` in the place of `aud`
(docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
"""

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from chalicelib.identity.oidc.errors import TokenRefused

CLOCK_SKEW_SECONDS = 60
"""How far the clocks of issuer and server may be apart."""
MOST_SUBJECT_CHARACTERS = 255
"""OpenID Connect Core 1.0, section 2."""
_MOST_AUDIENCES = 50


def check_claims(claims: Mapping[str, Any], *, audiences: Collection[str], now: datetime) -> None:
    """Let the claims pass, or raise TokenRefused with what is wrong, never quoting a value."""
    _check_times(claims, now.timestamp())
    _check_audience(claims, audiences)
    subject_of(claims)
    if "cnf" in claims:
        raise TokenRefused("The token is bound to a key of its holder, and comes without a proof of it.")
    if "events" in claims:
        raise TokenRefused("The token tells of an event, and is for no request.")


def subject_of(claims: Mapping[str, Any]) -> str:
    """Return `sub`. Raises TokenRefused."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 1 <= len(subject) <= MOST_SUBJECT_CHARACTERS or not subject.isprintable():
        raise TokenRefused("The token's sub is missing, or no text of 1 to 255 characters.")
    return subject


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    expires = _moment(claims, "exp")
    if expires is None:
        raise TokenRefused("The token has no exp.")
    if now >= expires + CLOCK_SKEW_SECONDS:
        raise TokenRefused("The token has expired.")
    for name in ("nbf", "iat"):
        begins = _moment(claims, name)
        if begins is not None and now < begins - CLOCK_SKEW_SECONDS:
            raise TokenRefused(f"The token's {name} is in the future.")


def _moment(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if name not in claims:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise TokenRefused(f"The token's {name} is no time.")
    return float(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _check_audience(claims: Mapping[str, Any], accepted: Collection[str]) -> None:
    named = _audiences_of(claims)
    if not any(audience in accepted for audience in named):
        raise TokenRefused("The token is for another audience.")
    if len(named) > 1:
        party = claims.get("azp", claims.get("client_id"))
        if not isinstance(party, str) or party not in accepted:
            raise TokenRefused("The token is for several audiences, and its azp is none that is accepted.")


def _audiences_of(claims: Mapping[str, Any]) -> Sequence[str]:
    use = claims.get("token_use")
    if "token_use" in claims and use not in ("id", "access"):
        raise TokenRefused("The token's token_use says that it is no access or ID token.")
    named = claims.get("aud")
    if "aud" not in claims and use == "access":
        named = claims.get("client_id")
    if isinstance(named, str):
        return [named]
    if isinstance(named, list) and len(named) <= _MOST_AUDIENCES and all(isinstance(each, str) for each in named):
        return named
    raise TokenRefused("The token's aud is missing, or neither a text nor a list of texts.")
