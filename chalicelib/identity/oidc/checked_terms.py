"""Refuses terms for an issuer's tokens that cannot be, or could not be meant."""

import re
from collections.abc import Sequence
from dataclasses import replace

from chalicelib.identity.names import checked_name
from chalicelib.identity.oidc.algorithms import KEY_FORMS
from chalicelib.identity.oidc.errors import InvalidIdentityProvider
from chalicelib.identity.oidc.model import Terms

_MOST_AUDIENCES, _MOST_DOMAINS = 20, 100
_MOST_AUDIENCE_CHARACTERS, _MOST_CLAIM_CHARACTERS = 500, 200
_MOST_DOMAIN_CHARACTERS = 190
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def checked_terms(terms: Terms) -> Terms:
    """Return the terms as they are kept. Raises InvalidIdentity for the name, InvalidIdentityProvider for the rest."""
    if not 1 <= len(terms.audiences) <= _MOST_AUDIENCES or not _all_text(terms.audiences, _MOST_AUDIENCE_CHARACTERS):
        raise InvalidIdentityProvider(f"A provider takes 1 to {_MOST_AUDIENCES} audiences; as for a client, its id.")
    if not terms.algorithms or not set(terms.algorithms) <= KEY_FORMS.keys():
        raise InvalidIdentityProvider(f"Algorithms are one or more of {', '.join(KEY_FORMS)}.")
    if not terms.scopes:
        raise InvalidIdentityProvider("A provider lets its users have one scope at least.")
    claims = (terms.name_claim, terms.email_claim, terms.email_verified_claim)
    if not _all_text(claims, _MOST_CLAIM_CHARACTERS):
        raise InvalidIdentityProvider(f"The name of a claim has 1 to {_MOST_CLAIM_CHARACTERS} characters.")
    return replace(terms, name=checked_name(terms.name), email_domains=_checked_domains(terms.email_domains))


def _checked_domains(domains: Sequence[str] | None) -> Sequence[str] | None:
    if domains is None:
        return None
    lowered = [domain.lower() for domain in domains]
    if not 1 <= len(lowered) <= _MOST_DOMAINS or not all(map(_is_domain, lowered)):
        raise InvalidIdentityProvider(
            f"Domains are 1 to {_MOST_DOMAINS} names as example.com, or null for any address."
        )
    return lowered


def _is_domain(domain: str) -> bool:
    labels = domain.split(".")
    return (
        len(domain) <= _MOST_DOMAIN_CHARACTERS and len(labels) > 1 and all(_LABEL.fullmatch(label) for label in labels)
    )


def _all_text(values: Sequence[str], most: int) -> bool:
    return all(1 <= len(value) <= most and value.isprintable() for value in values)
