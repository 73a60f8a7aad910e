"""Tells on whose terms a token is to be believed, having asked its issuer for new keys where that may help."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.identity.oidc import provider_store
from chalicelib.identity.oidc.claims import check_claims
from chalicelib.identity.oidc.errors import TokenRefused, UnknownKey
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.identity.oidc.keys import verify_signature
from chalicelib.identity.oidc.model import IdentityProvider
from chalicelib.identity.oidc.tokens import UnverifiedToken

_Result = TypeVar("_Result")


def verify_token(
    database: Database,
    token: UnverifiedToken,
    *,
    issuers: Issuers,
    now: datetime,
    then: Callable[[Transaction, IdentityProvider], _Result],
) -> _Result:
    """Return what `then` makes of a verified token, in the transaction in which it was verified. Raises TokenRefused.

    No transaction is open while an issuer is waited for.
    """

    def attempt(*, is_last: bool) -> _Result:
        with database.transaction() as tx:
            return then(tx, _provider_of(tx, token, issuers=issuers, now=now, is_last=is_last))

    try:
        return attempt(is_last=False)
    except _KeysWanted as wanted:
        issuers.refresh(database, wanted.provider, now=now)
        return attempt(is_last=True)


class _KeysWanted(Exception):
    """Other keys could make a difference."""

    def __init__(self, provider: IdentityProvider) -> None:
        super().__init__()
        self.provider = provider


def _provider_of(
    tx: Transaction, token: UnverifiedToken, *, issuers: Issuers, now: datetime, is_last: bool
) -> IdentityProvider:
    ready = issuers.ready(token.issuer)
    found = provider_store.find_trusted(tx, token.issuer, known_at=ready.fetched_at if ready else None)
    if found is None:
        raise TokenRefused("Nobody here trusts the token's issuer.")
    provider, keys = found
    # First what costs nothing: who invents tokens is not to make us ask an issuer.
    if token.algorithm not in provider.terms.algorithms:
        raise TokenRefused("The token's algorithm is none that the provider takes.")
    check_claims(token.claims, audiences=provider.terms.audiences, now=now)
    if not is_last and (issuers.is_due(provider, now=now) or issuers.is_awaited(provider, now=now)):
        raise _KeysWanted(provider)
    issuers.refuse_stale(provider, now=now)
    key_set = ready if ready is not None and keys is None else issuers.make_ready(provider, keys or ())
    try:
        verify_signature(token, key_set)
    except UnknownKey:
        if is_last or not (issuers.may_ask(provider, now=now) or issuers.is_asked(provider)):
            raise
        raise _KeysWanted(provider) from None
    return provider
