"""Turns a token of an issuer that some organization trusts into the user that asks."""

import logging
from datetime import datetime

from chalicelib.database.database import Database
from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.model import Principal
from chalicelib.identity.oidc.errors import TokenRefused
from chalicelib.identity.oidc.find_user import find_user
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.identity.oidc.tokens import read_token
from chalicelib.identity.oidc.verify_token import verify_token

_LOGGER = logging.getLogger(__name__)


def authenticate_token(database: Database, text: str, *, issuers: Issuers, now: datetime, refusal: str) -> Principal:
    """Return whom a token stands for. Raises Unauthenticated with `refusal`, for every reason; the log has the reason.

    It opens transactions of its own, and holds none while it waits for an issuer.
    """
    try:
        token = read_token(text)
        return verify_token(
            database,
            token,
            issuers=issuers,
            now=now,
            then=lambda tx, provider: find_user(tx, provider=provider, claims=token.claims, now=now),
        )
    except TokenRefused as refused:
        _LOGGER.info("a token was refused", extra={"reason": refused.detail})
        raise Unauthenticated(refusal) from None
