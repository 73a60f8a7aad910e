"""The words of identity as types."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

OrganizationId = NewType("OrganizationId", UUID)
WorkspaceId = NewType("WorkspaceId", UUID)
PrincipalId = NewType("PrincipalId", UUID)
ApiKeyId = NewType("ApiKeyId", UUID)
TeamId = NewType("TeamId", UUID)
EnvironmentId = NewType("EnvironmentId", UUID)
InvitationId = NewType("InvitationId", UUID)


class PrincipalKind(StrEnum):
    """What asks: a person, an agent, or a key without a person."""

    USER = "user"
    AGENT = "agent"
    SERVICE = "service"


class WorkspaceRole(StrEnum):
    """What a principal may do in a workspace; each role includes the one before it.

    Nobody is made a guest: whoever has no other role is one where something is open to it by name, by team or to
    the whole organization, and sees that alone.
    """

    GUEST = "guest"
    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"


class OrganizationRole(StrEnum):
    """What a principal may do in its organization. An admin is owner of every workspace in it."""

    MEMBER = "member"
    ADMIN = "admin"


class KeyScope(StrEnum):
    """What an API key may be used for, whatever its principal's roles."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Organization:
    """A tenant."""

    id: OrganizationId
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where knowledge lives. `quotas` overrides the deployment's limits by name.

    `record_reads` says that reading its items and searching it is recorded as activity too.
    """

    id: WorkspaceId
    organization_id: OrganizationId
    slug: str
    name: str
    quotas: Mapping[str, int]
    created_at: datetime
    record_reads: bool


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever asks, as one request carries it.

    `roles_by_workspace` holds all that it can reach with this credential, and no more; `is_limited` says
    that the credential reaches fewer workspaces than the principal itself. `environment` is an agent's; None is the
    default one. Whoever acts `on_behalf_of` another has the lesser of their roles, and reads what both may read:
    `own_roles` are those that it has by itself then, and None where they are the same.
    """

    id: PrincipalId
    organization_id: OrganizationId
    kind: PrincipalKind
    name: str
    organization_role: OrganizationRole
    roles_by_workspace: Mapping[WorkspaceId, WorkspaceRole]
    scopes: frozenset[KeyScope]
    is_limited: bool = False
    team_ids: frozenset[TeamId] = frozenset()
    environment: str | None = None
    on_behalf_of: "Principal | None" = None
    api_key_id: ApiKeyId | None = None
    own_roles: Mapping[WorkspaceId, WorkspaceRole] | None = None

    @property
    def held_roles(self) -> Mapping[WorkspaceId, WorkspaceRole]:
        """Its roles by workspace apart from whom it acts for: what it may see is told by these."""
        return self.roles_by_workspace if self.own_roles is None else self.own_roles

    @property
    def chain(self) -> "tuple[Principal, ...]":
        """The principal, and whom it acts on behalf of."""
        return (self,) if self.on_behalf_of is None else (self, *self.on_behalf_of.chain)


@dataclass(frozen=True, slots=True)
class Member:
    """A principal as an admin sees it, with its roles."""

    id: PrincipalId
    kind: PrincipalKind
    name: str
    email: str | None
    organization_role: OrganizationRole
    roles_by_workspace: Mapping[WorkspaceId, WorkspaceRole]
    created_at: datetime
    disabled_at: datetime | None
    environment: str | None = None


@dataclass(frozen=True, slots=True)
class Team:
    """A named group of users."""

    id: TeamId
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TeamMember:
    """A user in a team, since when."""

    id: PrincipalId
    name: str
    email: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Environment:
    """What agents, folders and items can belong to; an agent sees the knowledge of its own one alone."""

    id: EnvironmentId
    slug: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Invitation:
    """A promise of a membership to whoever holds its token. `invited_by` None is somebody who has been removed."""

    id: InvitationId
    organization_id: OrganizationId
    email: str
    organization_role: OrganizationRole
    roles_by_workspace: Mapping[WorkspaceId, WorkspaceRole]
    prefix: str
    invited_by: PrincipalId | None
    created_at: datetime
    expires_at: datetime
    accepted_at: datetime | None
    accepted_by: PrincipalId | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret. `workspace_ids` None reaches all workspaces of its principal.

    One that was rotated ends soon, and another one follows it with the same rights. `created_by` is None where whoever
    made it has been removed, or could enter the server's machine.
    """

    id: ApiKeyId
    principal_id: PrincipalId
    name: str
    prefix: str
    scopes: frozenset[KeyScope]
    workspace_ids: tuple[WorkspaceId, ...] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    created_by: PrincipalId | None
    rotated_from: ApiKeyId | None
    rotated_to: ApiKeyId | None
