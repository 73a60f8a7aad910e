"""Finds out who sends a request."""

from collections.abc import Mapping

from chalicelib.bootstrap import Application
from chalicelib.identity.authenticate import authenticate
from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.model import Principal


def authenticate_request(application: Application, headers: Mapping[str, str]) -> Principal:
    """Return who sends the request. Raises Unauthenticated.

    It has a transaction of its own, so that noting the key's use neither waits for a long request nor is
    undone with a failed one.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated("Send an API key: `Authorization: Bearer lb_…`.")
    with application.database.transaction() as tx:
        return authenticate(tx, token.strip(), pepper=application.pepper, now=application.clock.now())
