"""Turns a token of an issuer that some organization trusts into the user that asks."""

import logging
from datetime import datetime

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.model import Principal
from chalicelib.identity.oidc import provider_store
from chalicelib.identity.oidc.claims import check_claims
from chalicelib.identity.oidc.errors import TokenRefused, UnknownKey
from chalicelib.identity.oidc.find_user import find_user
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.identity.oidc.keys import verify_signature
from chalicelib.identity.oidc.model import IdentityProvider
from chalicelib.identity.oidc.tokens import UnverifiedToken, read_token

_LOGGER = logging.getLogger(__name__)


def authenticate_token(database: Database, text: str, *, issuers: Issuers, now: datetime, refusal: str) -> Principal:
    """Return whom a token stands for. Raises Unauthenticated with `refusal`, for every reason; the log has the reason.

    It opens transactions of its own, and holds none while it waits for an issuer.
    """
    try:
        token = read_token(text)
        try:
            return _attempt(database, token, issuers, now, is_last=False)
        except _AskIssuer as wanted:
            issuers.refresh(database, wanted.provider, now=now)
            return _attempt(database, token, issuers, now, is_last=True)
    except TokenRefused as refused:
        _LOGGER.info("a token was refused", extra={"reason": refused.detail})
        raise Unauthenticated(refusal) from None


class _AskIssuer(Exception):
    """The issuer has to be asked for its keys, outside of any transaction."""

    def __init__(self, provider: IdentityProvider) -> None:
        super().__init__()
        self.provider = provider


def _attempt(
    database: Database, token: UnverifiedToken, issuers: Issuers, now: datetime, *, is_last: bool
) -> Principal:
    with database.transaction() as tx:
        provider = verify_token(tx, token, issuers=issuers, now=now, is_last=is_last)
        return find_user(tx, provider=provider, claims=token.claims, now=now)


def verify_token(
    tx: Transaction, token: UnverifiedToken, *, issuers: Issuers, now: datetime, is_last: bool
) -> IdentityProvider:
    """Return the provider on whose terms the token is to be believed. Raises TokenRefused.

    Unless `is_last`, it raises _AskIssuer where other keys may be had and could make a difference.
    """
    ready = issuers.ready(token.issuer)
    found = provider_store.find_trusted(tx, token.issuer, known_at=ready.fetched_at if ready else None)
    if found is None:
        raise TokenRefused("Nobody here trusts the token's issuer.")
    provider, keys = found
    # First what costs nothing: who invents tokens is not to make us ask an issuer.
    if token.algorithm not in provider.terms.algorithms:
        raise TokenRefused("The token's algorithm is none that the provider takes.")
    check_claims(token.claims, audiences=provider.terms.audiences, now=now)
    if not is_last and issuers.is_due(provider, now=now):
        raise _AskIssuer(provider)
    issuers.refuse_stale(provider, now=now)
    key_set = ready if ready is not None and keys is None else issuers.make_ready(provider, keys or ())
    try:
        verify_signature(token, key_set)
    except UnknownKey:
        if is_last or not issuers.may_ask(provider, now=now):
            raise
        raise _AskIssuer(provider) from None
    return provider
