"""The issuers' keys: kept in the database for all processes and ready in this one, and fetched anew in good time.

Keys are taken for `fresh_for`; then the issuer is asked again, by one process at a time. While it is away, what it said
last counts for `stale_for` more. A token that names an unknown key makes us ask sooner, but not before `pause` is over:
who invents names of keys must not make us a nuisance to the issuer.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic, sleep

from chalicelib.database.database import Database
from chalicelib.errors import LorebaseError
from chalicelib.identity.oidc import provider_store
from chalicelib.identity.oidc.discovery import Discovered, discover, fetch_keys
from chalicelib.identity.oidc.errors import TokenRefused
from chalicelib.identity.oidc.keys import KeySet
from chalicelib.identity.oidc.model import IdentityProvider, PublicKey
from chalicelib.platform.errors import IssuerDocumentRefused
from chalicelib.platform.ports import IssuerDocuments

PAUSE = timedelta(seconds=30)
STALE_FOR = timedelta(hours=1)
# As long as an issuer is asked at most; who waits longer for somebody else to have asked goes on with what is there.
_PATIENCE = timedelta(seconds=6)
_LOOK_SECONDS = 0.2
_LOGGER = logging.getLogger(__name__)


class Issuers:
    """One for a process; thread-safe."""

    def __init__(self, documents: IssuerDocuments, *, fresh_for: timedelta) -> None:
        self.documents = documents
        self._fresh_for = fresh_for
        self._ready: dict[str, KeySet] = {}
        self._searches: dict[str, Lock] = {}

    def ready(self, issuer: str) -> KeySet | None:
        """Return the keys that this process has of an issuer."""
        return self._ready.get(issuer)

    def make_ready(self, provider: IdentityProvider, keys: Sequence[PublicKey]) -> KeySet:
        """Keep the provider's keys for the requests to come, and return them."""
        read = KeySet(provider.keys_fetched_at, tuple(keys))
        self._ready[provider.issuer] = read
        return read

    def is_due(self, provider: IdentityProvider, *, now: datetime) -> bool:
        """Tell whether the issuer is to be asked again for its keys."""
        return now - provider.keys_fetched_at >= self._fresh_for and self.may_ask(provider, now=now)

    def may_ask(self, provider: IdentityProvider, *, now: datetime) -> bool:
        """Tell whether the issuer was left in peace for long enough."""
        return now - provider.keys_sought_at >= PAUSE

    def is_awaited(self, provider: IdentityProvider, *, now: datetime) -> bool:
        """Tell whether nothing can be done until the answer comes that somebody has just asked the issuer for.

        After a quiet time the first requests come together, and only one of their processes asks.
        """
        return self._is_too_old(provider, now=now) and now - provider.keys_sought_at < _PATIENCE

    def is_asked(self, provider: IdentityProvider) -> bool:
        """Tell whether the issuer was asked and had not answered yet, so that another look may find its answer."""
        return provider.keys_sought_at > provider.keys_fetched_at

    def refuse_stale(self, provider: IdentityProvider, *, now: datetime) -> None:
        """Raise TokenRefused where the keys are too old to be believed."""
        if self._is_too_old(provider, now=now):
            raise TokenRefused("The issuer has been out of reach for too long to believe its last keys.")

    def refresh(self, database: Database, provider: IdentityProvider, *, now: datetime) -> None:
        """Ask the issuer for its keys, unless another process does; where it does not answer, all stays as it is."""
        search = self._search_of(provider)
        has_waited = search.locked()
        if not search.acquire(timeout=_PATIENCE.total_seconds()):
            return
        try:
            with database.transaction() as tx:
                is_ours = provider_store.claim_search(tx, provider.id, now=now, not_since=now - PAUSE)
            if not is_ours:
                if not has_waited and self._is_too_old(provider, now=now):
                    _await_another(database, provider)
                return
            found = self._search(provider)
            with database.transaction() as tx:
                provider_store.keep_keys(tx, provider.id, found, now=now)
        except LorebaseError as problem:
            _LOGGER.warning(
                "an issuer's keys were not fetched",
                extra={"provider_id": str(provider.id), "problem": problem.problem_type()},
            )
        finally:
            search.release()

    def _is_too_old(self, provider: IdentityProvider, *, now: datetime) -> bool:
        return now - provider.keys_fetched_at >= self._fresh_for + STALE_FOR

    def _search_of(self, provider: IdentityProvider) -> Lock:
        return self._searches.setdefault(provider.issuer, Lock())

    def _search(self, provider: IdentityProvider) -> Discovered:
        try:
            return Discovered(provider.jwks_uri, fetch_keys(self.documents, provider.jwks_uri))
        except IssuerDocumentRefused:
            # Its keys may have moved.
            return discover(self.documents, provider.issuer)


def _await_another(database: Database, provider: IdentityProvider) -> None:
    """Wait until another process has kept other keys, or for as long as it may take at most."""
    end = monotonic() + _PATIENCE.total_seconds()
    while monotonic() < end:
        with database.transaction() as tx:
            present = provider_store.list_providers(tx, provider.organization_id, provider_id=provider.id)
        if not present or present[0].keys_fetched_at != provider.keys_fetched_at:
            return
        sleep(_LOOK_SECONDS)
