"""Finds by what somebody meets the clauses of an audience, and may write: the tokens it shares with them, named."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from chalicelib.access.model import ClauseReason, Place, TracedAudience, TracedClause
from chalicelib.access.tokens import owner_token, tokens_of, workspace_token
from chalicelib.access.writing import writers_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import OrganizationId, Principal, TeamId, WorkspaceId
from chalicelib.identity.rights import WORKSPACE_RIGHTS, Action
from chalicelib.sharing import explain_store as store
from chalicelib.sharing.explain_model import Ground, GroundKind, Named


class Grounds:
    """Knows the grants along the way to some principals, and what their teams are called, read once."""

    def __init__(
        self, tx: Transaction, workspace_id: WorkspaceId, trace: TracedAudience, principals: Collection[Principal]
    ) -> None:
        self._workspace_id = workspace_id
        self._trace = trace
        self._grants = store.list_grants_to(
            tx,
            workspace_id,
            subject_ids=[_subject_of(place) for place in trace.places],
            tokens=frozenset().union(*(tokens_of(principal, workspace_id) for principal in principals)),
        )
        team_ids = {team_id for principal in principals for team_id in principal.team_ids}
        organizations = {principal.organization_id for principal in principals}
        self._team_names = {
            team.id: team.name
            for organization_id in organizations
            for team in store.list_names(tx, organization_id, team_ids)
        }

    def of_clause(self, clause: TracedClause, principal: Principal) -> Sequence[Ground]:
        """Return by what the principal meets a clause; nothing where it does not."""
        held = tokens_of(principal, self._workspace_id)
        said = [self._ground_of(token, clause.reason) for token in sorted(clause.said & held)]
        granted = [
            ground
            for place in clause.widened_at
            for token in sorted(place.readers & held)
            for ground in self._grants_at(place, token)
        ]
        return [*said, *granted]

    def of_reading(self, principal: Principal) -> Sequence[Ground]:
        """Return by what the principal meets all clauses, each ground once."""
        found = (ground for clause in self._trace.clauses for ground in self.of_clause(clause, principal))
        return list(dict.fromkeys(found))

    def of_writing(self, principal: Principal) -> Sequence[Ground]:
        """Return by what the principal may write, its key apart."""
        role = principal.roles_by_workspace.get(self._workspace_id)
        by_role = [Ground(kind=GroundKind.ROLE)] if role and Action.WRITE in WORKSPACE_RIGHTS[role] else []
        held = tokens_of(principal, self._workspace_id) & writers_of(self._trace.places)
        granted = [
            ground
            for place in self._trace.places
            for token in sorted(place.writers & held)
            for ground in self._grants_at(place, token)
        ]
        return [*by_role, *granted]

    def _ground_of(self, token: str, reason: ClauseReason) -> Ground:
        if token == workspace_token(self._workspace_id):
            return Ground(kind=GroundKind.ROLE)
        if token == owner_token(self._workspace_id):
            return Ground(kind=GroundKind.OWNER)
        kind, _, held_id = token.partition(":")
        if kind == "org":
            return Ground(kind=GroundKind.ORGANIZATION)
        if kind == "team":
            return Ground(kind=GroundKind.TEAM, team_id=_team_id(held_id), team_name=self._team_name(held_id))
        return Ground(kind=GroundKind.CREATOR if reason is ClauseReason.RESTRICTION else GroundKind.MEMBER)

    def _grants_at(self, place: Place, token: str) -> Iterator[Ground]:
        kind, _, held_id = token.partition(":")
        is_team = kind == "team"
        for grant in self._grants:
            if (grant.subject_id, grant.token) == (_subject_of(place), token):
                yield Ground(
                    kind=GroundKind.GRANT,
                    path=place.path,
                    grant_id=grant.id,
                    action=grant.action,
                    granted_by=grant.granted_by,
                    granted_by_name=grant.granted_by_name,
                    granted_at=grant.granted_at,
                    team_id=_team_id(held_id) if is_team else None,
                    team_name=self._team_name(held_id) if is_team else None,
                )

    def _team_name(self, team_id: str) -> str | None:
        return self._team_names.get(UUID(team_id))


def named_in(tx: Transaction, organization_id: OrganizationId, clauses: Iterable[TracedClause]) -> Mapping[UUID, Named]:
    """Return the teams and members that clauses name, by id."""
    ids = {named_id for clause in clauses for named_id in ids_in(clause)}
    return {named.id: named for named in store.list_names(tx, organization_id, ids)}


def ids_in(clause: TracedClause) -> Sequence[UUID]:
    """Return the ids of the teams and members that a clause names itself."""
    parts = (token.partition(":") for token in sorted(clause.said))
    return [UUID(named_id) for kind, _, named_id in parts if kind not in {"workspace", "owner", "org"}]


def _subject_of(place: Place) -> UUID:
    return place.item_id or place.folder_id or UUID(int=0)


def _team_id(team_id: str) -> TeamId:
    return TeamId(UUID(team_id))
