"""Explains why somebody can or cannot read and write an item or a folder: owners ask about all, others of themselves.

The verdict and its parts come out of the calculation that decides (access.audience.trace_audience, access.writing).
"""

from collections.abc import Sequence
from dataclasses import replace

from chalicelib.access.audience import audience_of, is_in, trace_audience
from chalicelib.access.model import FolderId, TracedAudience, TracedClause
from chalicelib.access.readers import holders_of
from chalicelib.access.store import share_places
from chalicelib.access.writing import can_read, can_write
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.errors import MemberNotFound
from chalicelib.identity.model import OrganizationRole, Principal, PrincipalId, WorkspaceId
from chalicelib.identity.rights import Action, authorize, is_allowed
from chalicelib.identity.store import find_principal, list_members
from chalicelib.items.model import ItemId
from chalicelib.sharing.change_access import record_access
from chalicelib.sharing.explain_grounds import Grounds, ids_in, named_in
from chalicelib.sharing.explain_model import ExplainedClause, Explanation, Ground, KeyLimits, Standing
from chalicelib.sharing.explain_remedies import disabled, obstacles_to_reading, obstacles_to_writing
from chalicelib.sharing.find_subject import find_folder_subject, find_item_subject
from chalicelib.sharing.model import Subject


def explain_access(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    subject_id: ItemId | FolderId,
    is_folder: bool,
    member_id: PrincipalId | None,
) -> Explanation:
    """Explain how a member stands to an item or a folder that the asker can read; None is the asker.

    Others than owners are told neither whom a clause names nor who gave a grant. It is recorded.
    Raises ItemNotFound, FolderNotFound, ActionForbidden, MemberNotFound.
    """
    authorize(principal, workspace_id, Action.READ)
    share_places(tx, workspace_id)
    if is_folder:
        subject = find_folder_subject(tx, principal, workspace_id, FolderId(subject_id))
    else:
        subject = find_item_subject(tx, principal, workspace_id, ItemId(subject_id))
    if member_id not in {None, principal.id}:
        authorize(principal, workspace_id, Action.GRANT)
    explanation = explain(tx, asker=principal, subject=subject, member_id=member_id or principal.id)
    told = {"member_id": explanation.standing.id, "can_read": explanation.can_read, "can_write": explanation.can_write}
    record_access(tx, principal, subject, ActivityAction.ACCESS_EXPLAINED, after=told)
    return explanation


def explain(tx: Transaction, *, asker: Principal, subject: Subject, member_id: PrincipalId) -> Explanation:
    """Explain how a member of the asker's organization stands to a subject. Raises MemberNotFound."""
    is_own = member_id == asker.id
    asked, is_disabled = (asker, False) if is_own else _find(tx, asker, member_id)
    workspace_id = subject.workspace_id
    trace = trace_audience(workspace_id, subject.places)
    acting = [asked] if asked.on_behalf_of is None else [asked, asked.on_behalf_of]
    teller = _Teller(tx, asker, subject, trace, acting)
    alone = [replace(one, on_behalf_of=None) for one in acting]
    first = teller.standing_of(alone[0], is_disabled=is_disabled, is_own=is_own)
    others = [teller.standing_of(one) for one in alone[1:]]
    said_at = trace.environment_at
    return Explanation(
        subject=subject,
        can_read=first.can_read and can_read(asked, workspace_id, trace.audience),
        can_write=first.can_write and can_write(asked, workspace_id, subject.places),
        environment=trace.audience.environment,
        environment_path=None if said_at is None else said_at.path,
        standing=first,
        on_behalf_of=others[0] if others else None,
        key=KeyLimits(asker.scopes, asker.is_limited) if is_own and asker.api_key_id is not None else None,
    )


class _Teller:
    """Tells standings to an asker, who sees names where it says who may read."""

    def __init__(
        self, tx: Transaction, asker: Principal, subject: Subject, trace: TracedAudience, acting: Sequence[Principal]
    ) -> None:
        self._asker, self._subject, self._trace = asker, subject, trace
        self._grounds = Grounds(tx, subject.workspace_id, trace, acting)
        self._is_owner = is_allowed(asker, subject.workspace_id, Action.GRANT)
        self._named = named_in(tx, asker.organization_id, trace.clauses) if self._is_owner else {}

    def standing_of(self, principal: Principal, *, is_disabled: bool = False, is_own: bool = False) -> Standing:
        workspace_id, trace = self._subject.workspace_id, self._trace
        clauses = [self._explained(clause, principal, is_disabled=is_disabled) for clause in trace.clauses]
        write_grounds = [] if is_disabled else [self._told(ground) for ground in self._grounds.of_writing(principal)]
        reading = [disabled()] if is_disabled else list(obstacles_to_reading(principal, workspace_id, trace, clauses))
        writing = obstacles_to_writing(principal, workspace_id, has_grant=bool(write_grounds), is_own=is_own)
        may_read = not is_disabled and _is_in(principal, workspace_id, trace)
        return Standing(
            id=principal.id,
            kind=principal.kind,
            name=principal.name,
            is_disabled=is_disabled,
            is_admin=principal.organization_role is OrganizationRole.ADMIN,
            role=principal.roles_by_workspace.get(workspace_id),
            environment=principal.environment,
            can_read=may_read,
            can_write=may_read and can_write(principal, workspace_id, self._subject.places),
            clauses=clauses,
            write_grounds=write_grounds,
            obstacles=[*reading, *([] if is_disabled else writing)],
        )

    def _explained(self, clause: TracedClause, principal: Principal, *, is_disabled: bool) -> ExplainedClause:
        grounds = [] if is_disabled else self._grounds.of_clause(clause, principal)
        (holder,) = holders_of(principal, self._subject.workspace_id)
        place = clause.place
        shows_names = self._is_owner and self._sees(None if place is None else place.path)
        return ExplainedClause(
            reason=clause.reason,
            path=None if place is None else place.path,
            folder_id=None if place is None else place.folder_id,
            item_id=None if place is None or place.item_id is None else self._subject.item_id,
            named=[self._named[named] for named in ids_in(clause) if named in self._named] if shows_names else [],
            is_met=not is_disabled and bool(clause.tokens & holder.tokens),
            grounds=[self._told(ground) for ground in grounds],
        )

    def _told(self, ground: Ground) -> Ground:
        """Leave out of a ground what its asker may not see."""
        if self._is_owner and self._sees(ground.path):
            return ground
        return replace(ground, grant_id=None, granted_by=None, granted_by_name=None)

    def _sees(self, path: str | None) -> bool:
        """Tell whether the asker may read what lies at a place on the way; what is said about others is not shown."""
        if path is None:
            return True
        above = [place for place in self._subject.places if len(place.path) <= len(path)]
        return can_read(self._asker, self._subject.workspace_id, audience_of(self._subject.workspace_id, above))


def _is_in(principal: Principal, workspace_id: WorkspaceId, trace: TracedAudience) -> bool:
    (holder,) = holders_of(principal, workspace_id)
    return workspace_id in principal.roles_by_workspace and is_in(
        trace.audience, holder.tokens, environment=holder.environment, is_agent=holder.is_agent
    )


def _find(tx: Transaction, asker: Principal, member_id: PrincipalId) -> tuple[Principal, bool]:
    """Return a member of the asker's organization, and whether it is disabled. Raises MemberNotFound."""
    living = find_principal(tx, asker.organization_id, member_id)
    if living is not None:
        return living, False
    for member in list_members(tx, asker.organization_id, principal_id=member_id, after=None, limit=1):
        gone = Principal(
            member.id,
            asker.organization_id,
            member.kind,
            member.name,
            member.organization_role,
            member.roles_by_workspace,
            frozenset(),
        )
        return gone, True
    raise MemberNotFound("There is no such member.")
