"""The rules of who may read: from what was said along the way to an item, to one audience.

1. Nothing said: the workspace's readers.
2. An audience said at a place is one more clause; the widest that holds is the outermost one, which takes the place of
   the workspace's readers. Only-me and restrictions narrow, and never take that place.
3. A restriction is the clause {owners, the item's creator}.
4. A grant at a place lets its grantee pass every clause said there and above, and none said below.
5. A place that does not inherit begins anew, as if nothing had been said above; if it says nothing itself, owners are
   left.
6. Owners pass every clause but only-me.
7. The environment said last holds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chalicelib.access.model import (
    DEFAULT_ENVIRONMENT,
    Audience,
    AudienceKind,
    Clause,
    ClauseReason,
    Place,
    TracedAudience,
    TracedClause,
)
from chalicelib.access.tokens import owner_token, workspace_token
from chalicelib.identity.model import WorkspaceId


def audience_of(workspace_id: WorkspaceId, places: Sequence[Place]) -> Audience:
    """Return who may read what lies at the end of `places`, which begin at the outermost folder."""
    return trace_audience(workspace_id, places).audience


def trace_audience(workspace_id: WorkspaceId, places: Sequence[Place]) -> TracedAudience:
    """Return the same with where each part of it comes from: what explains an audience is what makes it."""
    everybody, owner = workspace_token(workspace_id), owner_token(workspace_id)
    clauses = [TracedClause(ClauseReason.WORKSPACE, frozenset({everybody}))]
    is_default = True
    begins_at = 0
    environment_at: Place | None = None
    for number, place in enumerate(places):
        settings = place.settings
        if not settings.inherits:
            is_default = settings.audience is not None or settings.is_restricted
            begins_at = number
            clauses = [
                TracedClause(ClauseReason.WORKSPACE, frozenset({everybody}), place)
                if is_default
                else TracedClause(ClauseReason.BREAK, frozenset({owner}), place)
            ]
        if settings.audience is not None and settings.audience_kind is not AudienceKind.ONLY_ME:
            said = TracedClause(ClauseReason.AUDIENCE, settings.audience | {owner}, place)
            # The first audience said takes the place of the workspace's readers, be it wider or narrower.
            clauses = [*(clauses[1:] if is_default else clauses), said]
            is_default = False
        elif settings.audience is not None:
            clauses = [*clauses, TracedClause(ClauseReason.ONLY_ME, settings.audience, place)]
        if settings.is_restricted:
            named = frozenset({owner, *([place.creator] if place.creator else [])})
            clauses = [*clauses, TracedClause(ClauseReason.RESTRICTION, named, place)]
        if place.readers:
            clauses = [replace(clause, widened_at=(*clause.widened_at, place)) for clause in clauses]
        environment_at = place if settings.environment else environment_at
    return TracedAudience(
        Audience(
            tuple(_without_implied((clause.tokens for clause in clauses), everybody, owner)),
            _environment_said(environment_at),
        ),
        tuple(clauses),
        tuple(places[begins_at:]),
        environment_at,
    )


def _environment_said(place: Place | None) -> str | None:
    environment = None if place is None else place.settings.environment
    return None if environment == DEFAULT_ENVIRONMENT else environment


def is_in(audience: Audience, tokens: Iterable[str], *, environment: str | None, is_agent: bool) -> bool:
    """Tell whether who holds these tokens may read; the database's own way is `list_audiences` in access.sql."""
    held = frozenset(tokens)
    return all(clause & held for clause in audience.clauses) and (not is_agent or environment == audience.environment)


def _without_implied(clauses: Iterable[Clause], everybody: str, owner: str) -> list[Clause]:
    """Leave out what changes nothing: owners where all readers are named, and clauses that another one implies."""
    distinct = {clause - {owner} if everybody in clause else clause for clause in clauses}
    return [clause for clause in distinct if not any(_implies(other, clause, owner, everybody) for other in distinct)]


def _implies(other: Clause, clause: Clause, owner: str, everybody: str) -> bool:
    if other == clause:
        return False
    # Whoever holds the owners' token holds that of the workspace's readers too.
    widened = clause | {owner} if everybody in clause else clause
    return other <= widened
