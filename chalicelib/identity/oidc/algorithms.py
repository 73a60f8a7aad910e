"""The signatures that tokens may bear, and the form of key that each one is made with (RFC 7518, RFC 8037).

Nothing with a shared secret is among them, and nothing without a signature.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyForm:
    """`kty` of a JSON Web Key and, where there are curves, `crv`."""

    kty: str
    curve: str | None = None


KEY_FORMS: Mapping[str, KeyForm] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), KeyForm("RSA")),
    "ES256": KeyForm("EC", "P-256"),
    "ES384": KeyForm("EC", "P-384"),
    "ES512": KeyForm("EC", "P-521"),
    "EdDSA": KeyForm("OKP", "Ed25519"),
}
"""By the name of the algorithm in a token's header."""

DEFAULT_ALGORITHMS = ("RS256", "ES256")
