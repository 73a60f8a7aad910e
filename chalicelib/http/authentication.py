"""Finds out who sends a request."""

from collections.abc import Mapping

from chalicelib.bootstrap import Application
from chalicelib.identity.authenticate import REFUSAL, authenticate
from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.model import Principal
from chalicelib.identity.oidc.authenticate_token import authenticate_token
from chalicelib.identity.oidc.tokens import may_be_token


def authenticate_request(application: Application, headers: Mapping[str, str]) -> Principal:
    """Return who sends the request. Raises Unauthenticated.

    It has a transaction of its own, so that noting the key's use neither waits for a long request nor is
    undone with a failed one.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated("Send an API key: `Authorization: Bearer lb_…`.")
    now = application.clock.now()
    if application.issuers is not None and may_be_token(token.strip()):
        return authenticate_token(
            application.database, token.strip(), issuers=application.issuers, now=now, refusal=REFUSAL
        )
    with application.database.transaction() as tx:
        return authenticate(tx, token.strip(), pepper=application.pepper, now=now)
