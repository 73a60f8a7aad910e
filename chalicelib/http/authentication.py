"""Finds out who sends a request, and for whom."""

from collections.abc import Mapping

from chalicelib.bootstrap import Application
from chalicelib.database.transaction import Transaction
from chalicelib.http.requests import id_of
from chalicelib.http.routing import Route
from chalicelib.identity.acting import act_on_behalf_of, simulate
from chalicelib.identity.authenticate import REFUSAL, authenticate
from chalicelib.identity.errors import ActingRefused, Unauthenticated
from chalicelib.identity.model import Principal, PrincipalId
from chalicelib.identity.oidc.authenticate_token import authenticate_token
from chalicelib.identity.oidc.tokens import may_be_token

_ON_BEHALF_OF = "x-on-behalf-of"
_SIMULATE_AS = "x-simulate-as"


def authenticate_request(application: Application, headers: Mapping[str, str]) -> Principal:
    """Return who sends the request. Raises Unauthenticated.

    It has a transaction of its own, so that noting the key's use neither waits for a long request nor is
    undone with a failed one.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated("Send an API key or a token: `Authorization: Bearer …`.")
    now = application.clock.now()
    if application.issuers is not None and may_be_token(token.strip()):
        return authenticate_token(
            application.database, token.strip(), issuers=application.issuers, now=now, refusal=REFUSAL
        )
    with application.database.transaction() as tx:
        return authenticate(tx, token.strip(), pepper=application.pepper, now=now)


def act_as_asked(
    application: Application, principal: Principal, headers: Mapping[str, str], *, route: Route
) -> Principal:
    """Return the principal that a request of this sender is answered as. Raises ActingRefused."""
    # A header that is there is never passed over, be it empty.
    if _ON_BEHALF_OF not in headers and _SIMULATE_AS not in headers:
        return principal
    with application.database.transaction() as tx:
        return _acting(tx, principal, headers, route=route)


def _acting(tx: Transaction, principal: Principal, headers: Mapping[str, str], *, route: Route) -> Principal:
    acted_for, simulated = headers.get(_ON_BEHALF_OF), headers.get(_SIMULATE_AS)
    if acted_for is not None and simulated is not None:
        raise ActingRefused("Send one of X-On-Behalf-Of and X-Simulate-As, not both.")
    if acted_for is not None:
        return act_on_behalf_of(tx, principal=principal, member_id=PrincipalId(id_of(acted_for)))
    if simulated is not None:
        if not route.is_safe:
            raise ActingRefused("Whoever simulates another changes nothing.")
        return simulate(tx, principal=principal, member_id=PrincipalId(id_of(simulated)), route=route.name)
    return principal
