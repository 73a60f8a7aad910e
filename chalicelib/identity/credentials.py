"""Makes and checks the secrets of API keys, `lb_<prefix>_<secret>`, and of invitations, `lbi_<prefix>_<secret>`."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from enum import StrEnum

_FORM = re.compile(r"(?P<kind>lbi?)_(?P<prefix>[A-Za-z0-9]{10})_(?P<secret>[A-Za-z0-9_-]{43})")
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"


class CredentialKind(StrEnum):
    """What a secret opens; it is part of the hash, so that none passes for one of the other kind."""

    API_KEY = "lb"
    INVITATION = "lbi"


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret as its holder has it. `token` is shown once and stored nowhere."""

    prefix: str
    token: str

    def __repr__(self) -> str:
        return f"Credential(prefix={self.prefix!r})"


def new_credential(kind: CredentialKind = CredentialKind.API_KEY) -> Credential:
    """Return a fresh credential of 256 random bits."""
    prefix = "".join(secrets.choice(_ALPHABET) for _ in range(10))
    return Credential(prefix, f"{kind}_{prefix}_{secrets.token_urlsafe(32)}")


def parse_credential(token: str, kind: CredentialKind = CredentialKind.API_KEY) -> Credential | None:
    """Return the credential that a client sent, or None where it cannot be one of this kind."""
    match = _FORM.fullmatch(token)
    return Credential(match["prefix"], token) if match and match["kind"] == kind else None


def hash_credential(credential: Credential, *, pepper: bytes) -> bytes:
    """Return the keyed hash that is stored: HMAC-SHA-256 (RFC 2104).

    The secret has 256 bits of its own, so no slow hash is needed; the pepper, which lives in the secret
    store, makes a stolen table useless for forging keys.
    """
    return hmac.new(pepper, credential.token.encode(), hashlib.sha256).digest()
