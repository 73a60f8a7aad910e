"""The words of the activity as types."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID


class ActivityAction(StrEnum):
    """What was done, as the kind of the thing and a verb in the past tense."""

    ORGANIZATION_CREATED = "organization.created"
    ORGANIZATION_CHANGED = "organization.changed"
    WORKSPACE_CREATED = "workspace.created"
    WORKSPACE_CHANGED = "workspace.changed"
    MEMBER_CREATED = "member.created"
    MEMBER_CHANGED = "member.changed"
    MEMBER_DELETED = "member.deleted"
    MEMBER_ITEMS_DELETED = "member.items_deleted"
    MEMBER_SIGNED_IN = "member.signed_in"
    ROLE_GIVEN = "role.given"
    ROLE_TAKEN = "role.taken"
    INVITATION_CREATED = "invitation.created"
    INVITATION_ACCEPTED = "invitation.accepted"
    INVITATION_REVOKED = "invitation.revoked"
    API_KEY_CREATED = "api_key.created"
    API_KEY_ROTATED = "api_key.rotated"
    API_KEY_REVOKED = "api_key.revoked"
    TEAM_CREATED = "team.created"
    TEAM_CHANGED = "team.changed"
    TEAM_DELETED = "team.deleted"
    TEAM_MEMBER_ADDED = "team.member_added"
    TEAM_MEMBER_REMOVED = "team.member_removed"
    ENVIRONMENT_CREATED = "environment.created"
    ENVIRONMENT_DELETED = "environment.deleted"
    IDENTITY_PROVIDER_CREATED = "identity_provider.created"
    IDENTITY_PROVIDER_CHANGED = "identity_provider.changed"
    IDENTITY_PROVIDER_DELETED = "identity_provider.deleted"
    IDENTITY_KNOWN = "identity.known"
    IDENTITY_FORGOTTEN = "identity.forgotten"
    BUDGET_SET = "budget.set"
    BUDGET_CLEARED = "budget.cleared"
    ITEM_CREATED = "item.created"
    ITEM_CHANGED = "item.changed"
    ITEM_MOVED = "item.moved"
    ITEM_DELETED = "item.deleted"
    ITEM_RESTORED = "item.restored"
    ITEM_PURGED = "item.purged"
    ITEM_RETRIED = "item.retried"
    ITEM_READ = "item.read"
    FOLDER_CREATED = "folder.created"
    FOLDER_CHANGED = "folder.changed"
    FOLDER_MOVED = "folder.moved"
    FOLDER_DELETED = "folder.deleted"
    UPLOAD_STARTED = "upload.started"
    UPLOAD_RECEIVED = "upload.received"
    UPLOAD_DROPPED = "upload.dropped"
    UPLOAD_EXPIRED = "upload.expired"
    UPLOAD_DELETED = "upload.deleted"
    UPLOAD_RETRIED = "upload.retried"
    ORIGINAL_DOWNLOADED = "original.downloaded"
    JOB_CANCELLED = "job.cancelled"
    JOB_REDRIVEN = "job.redriven"
    ACCESS_CHANGED = "access.changed"
    ACCESS_EXPLAINED = "access.explained"
    ACCESS_SIMULATED = "access.simulated"
    GRANT_GIVEN = "grant.given"
    GRANT_TAKEN = "grant.taken"
    KNOWLEDGE_BASE_CREATED = "knowledge_base.created"
    KNOWLEDGE_BASE_CHANGED = "knowledge_base.changed"
    KNOWLEDGE_BASE_DELETED = "knowledge_base.deleted"
    CITATION_CREATED = "citation.created"
    CITATION_WITHDRAWN = "citation.withdrawn"
    EMBEDDING_CHANGE_STARTED = "embedding_change.started"
    EMBEDDING_CHANGE_CANCELLED = "embedding_change.cancelled"
    EMBEDDING_SPACE_SWAPPED = "embedding_space.swapped"
    EMBEDDING_SPACE_ROLLED_BACK = "embedding_space.rolled_back"
    EMBEDDING_SPACE_FORGOTTEN = "embedding_space.forgotten"
    WORKSPACE_REINDEXED = "workspace.reindexed"
    SEARCH_ASKED = "search.asked"
    ACTIVITY_EXPORTED = "activity.exported"
    ACTIVITY_FORGOTTEN = "activity.forgotten"
    REQUEST_REFUSED = "request.refused"


class SubjectKind(StrEnum):
    """What kind of thing something was done to."""

    ORGANIZATION = "organization"
    WORKSPACE = "workspace"
    MEMBER = "member"
    INVITATION = "invitation"
    API_KEY = "api_key"
    TEAM = "team"
    ENVIRONMENT = "environment"
    IDENTITY_PROVIDER = "identity_provider"
    BUDGET = "budget"
    ITEM = "item"
    FOLDER = "folder"
    UPLOAD = "upload"
    JOB = "job"
    GRANT = "grant"
    KNOWLEDGE_BASE = "knowledge_base"
    CITATION = "citation"
    ROUTE = "route"


class Outcome(StrEnum):
    """How it ended."""

    DONE = "done"
    REFUSED = "refused"


class Actor(Protocol):
    """Who did it: what a principal is, as far as it is recorded. Recording knows nothing else of identity."""

    @property
    def id(self) -> UUID:
        """The principal's id."""

    @property
    def organization_id(self) -> UUID:
        """The organization that the principal belongs to."""

    @property
    def kind(self) -> str:
        """User, agent or service."""

    @property
    def name(self) -> str:
        """What the principal is called at the time."""

    @property
    def api_key_id(self) -> UUID | None:
        """The key that it asks with, where it does."""

    @property
    def on_behalf_of(self) -> "Actor | None":
        """For whom it acts."""


@dataclass(frozen=True, slots=True)
class Activity:
    """One entry. `before` and `after` hold what changed of what is not content."""

    id: UUID
    recorded_at: datetime
    organization_id: UUID
    workspace_id: UUID | None
    actor_id: UUID | None
    actor_kind: str | None
    actor_name: str | None
    api_key_id: UUID | None
    on_behalf_of: UUID | None
    request_id: str | None
    action: str
    outcome: Outcome
    subject_kind: str
    subject_id: UUID | None
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityFilters:
    """Which entries are read; None means all. `since` is included, `until` is not."""

    actor_id: UUID | None = None
    action: ActivityAction | None = None
    subject_kind: SubjectKind | None = None
    subject_id: UUID | None = None
    outcome: Outcome | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class CountedRefusals:
    """How often somebody was refused in one minute."""

    organization_id: UUID
    actor_id: UUID
    actor_kind: str
    actor_name: str
    minute: datetime
    count: int
