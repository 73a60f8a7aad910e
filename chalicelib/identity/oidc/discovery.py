"""Asks an issuer where its keys are, and for them.

OpenID Connect Discovery 1.0 (4.3) and RFC 8414 (3.3): a document is an issuer's own only if it names the very issuer
that was asked, letter by letter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from chalicelib.identity.oidc.errors import IssuerRefused
from chalicelib.identity.oidc.keys import usable_keys
from chalicelib.identity.oidc.model import PublicKey
from chalicelib.platform.errors import IssuerDocumentRefused
from chalicelib.platform.ports import IssuerDocuments

_MOST_CHARACTERS = 500
_MOST_URI_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Discovered:
    """What an issuer says of itself."""

    jwks_uri: str
    keys: Sequence[PublicKey]


def checked_issuer(issuer: str, *, takes_loopback: bool) -> str:
    """Return the issuer as it is given: an https URL without query or fragment. Raises IssuerRefused."""
    try:
        parts = urlsplit(issuer)
        is_url = parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_url = False
    if not is_url or len(issuer) > _MOST_CHARACTERS or not issuer.isascii() or not issuer.isprintable():
        raise IssuerRefused(f"An issuer is a URL of {_MOST_CHARACTERS} characters of ASCII at most.")
    if any(letter in issuer for letter in " ?#@\\"):
        raise IssuerRefused("An issuer has neither blanks nor a login, a query or a fragment.")
    if parts.scheme != "https" and not takes_loopback:
        raise IssuerRefused("An issuer is reached by https.")
    return issuer


def discover(documents: IssuerDocuments, issuer: str) -> Discovered:
    """Return where the issuer's keys are and what they are.

    Raises IssuerRefused, IssuerDocumentRefused, IssuerUnavailable.
    """
    document = _metadata(documents, checked_issuer(issuer, takes_loopback=documents.takes_loopback))
    if document.get("issuer") != issuer:
        raise IssuerRefused(
            f"The issuer calls itself {_quoted(document.get('issuer'))}, and not {issuer}. The two must be the same to"
            " the letter, a slash at the end included."
        )
    jwks_uri = document.get("jwks_uri")
    if not isinstance(jwks_uri, str) or len(jwks_uri) > _MOST_URI_CHARACTERS:
        raise IssuerRefused("The issuer does not say where its keys are: jwks_uri is missing.")
    return Discovered(jwks_uri, fetch_keys(documents, jwks_uri))


def fetch_keys(documents: IssuerDocuments, jwks_uri: str) -> Sequence[PublicKey]:
    """Return the issuer's keys that can verify signatures; none where it has withdrawn all of them.

    Raises IssuerRefused, IssuerDocumentRefused, IssuerUnavailable.
    """
    return usable_keys(documents.fetch(jwks_uri))


def _metadata(documents: IssuerDocuments, issuer: str) -> dict[str, object]:
    try:
        return dict(documents.fetch(f"{issuer.rstrip('/')}/.well-known/openid-configuration"))
    except IssuerDocumentRefused as refusal:
        if refusal.members.get("status") != 404:
            raise
        return dict(_metadata_of_server(documents, issuer, refusal))


def _metadata_of_server(documents: IssuerDocuments, issuer: str, refusal: IssuerDocumentRefused) -> dict[str, object]:
    """Ask where RFC 8414 has it: between host and path. Raises the first refusal where it is not there either."""
    parts = urlsplit(issuer)
    try:
        return dict(
            documents.fetch(
                f"{parts.scheme}://{parts.netloc}/.well-known/oauth-authorization-server{parts.path.rstrip('/')}"
            )
        )
    except IssuerDocumentRefused:
        raise refusal from None


def _quoted(value: object) -> str:
    return value[:_MOST_CHARACTERS] if isinstance(value, str) and value.isprintable() else "nothing"
