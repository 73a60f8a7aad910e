"""The words of explanations as types: by what somebody may read and write, and what stands in the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from chalicelib.access.model import ClauseReason, FolderId, GrantAction, GrantId
from chalicelib.identity.model import KeyScope, PrincipalId, PrincipalKind, TeamId, WorkspaceRole
from chalicelib.items.model import ItemId
from chalicelib.sharing.model import Subject


class GroundKind(StrEnum):
    """By what somebody meets a clause, or may write."""

    ROLE = "role"
    OWNER = "owner"
    ORGANIZATION = "organization"
    TEAM = "team"
    MEMBER = "member"
    """An audience names it."""
    CREATOR = "creator"
    GRANT = "grant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One thing by which somebody meets a clause, or may write. Of a grant: where, to which team, by whom, when."""

    kind: GroundKind
    team_id: TeamId | None = None
    team_name: str | None = None
    path: str | None = None
    grant_id: GrantId | None = None
    action: GrantAction | None = None
    granted_by: PrincipalId | None = None
    granted_by_name: str | None = None
    granted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """A team or a member that a clause names."""

    kind: str
    id: UUID
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedClause:
    """One clause of an audience, and by what somebody meets it.

    `path` is where it was said, None where nothing was. `named` is left empty where the asker may not see it.
    """

    reason: ClauseReason
    path: str | None
    folder_id: FolderId | None
    item_id: ItemId | None
    named: Sequence[Named]
    is_met: bool
    grounds: Sequence[Ground]


class ObstacleReason(StrEnum):
    """What stands in the way; the first words are those of ClauseReason."""

    WORKSPACE = "workspace"
    AUDIENCE = "audience"
    ONLY_ME = "only_me"
    RESTRICTION = "restriction"
    BREAK = "break"
    ENVIRONMENT = "environment"
    DISABLED = "disabled"
    ROLE = "role"
    KEY_SCOPE = "key_scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """One thing that keeps somebody from reading, or from writing what it may read. `detail` says what to change."""

    reason: ObstacleReason
    action: GrantAction
    path: str | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one principal stands to a folder or an item. `role` None: there is no way into the workspace."""

    id: PrincipalId
    kind: PrincipalKind
    name: str
    is_disabled: bool
    is_admin: bool
    role: WorkspaceRole | None
    environment: str | None
    can_read: bool
    can_write: bool
    clauses: Sequence[ExplainedClause]
    write_grounds: Sequence[Ground]
    obstacles: Sequence[Obstacle]


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """What the key in use allows; `is_limited` to some of its principal's workspaces."""

    scopes: frozenset[KeyScope]
    is_limited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why somebody can or cannot read and write. `environment` is that of the subject, None the default one.

    Whoever acts on behalf of another can what both can. `key` is the asker's own, where it asks about itself.
    """

    subject: Subject
    can_read: bool
    can_write: bool
    environment: str | None
    environment_path: str | None
    standing: Standing
    on_behalf_of: Standing | None
    key: KeyLimits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A principal that can read a subject, and by what."""

    id: PrincipalId
    kind: PrincipalKind
    name: str
    role: WorkspaceRole
    grounds: Sequence[Ground]
