"""The words of access as types."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType
from uuid import UUID

AudienceId = NewType("AudienceId", int)
FolderId = NewType("FolderId", UUID)
GrantId = NewType("GrantId", UUID)

Audiences = list[AudienceId]
"""The audiences of one workspace that somebody is in: what the one predicate is asked with."""

Clause = frozenset[str]
"""Access tokens, of which a reader must hold at least one."""


class AudienceKind(StrEnum):
    """Whom an audience that was set by a person names."""

    WORKSPACE = "workspace"
    ORGANIZATION = "organization"
    TEAMS = "teams"
    NAMED = "named"
    ONLY_ME = "only_me"


class GrantAction(StrEnum):
    """What a grant allows; writing includes reading."""

    READ = "read"
    WRITE = "write"


DEFAULT_ENVIRONMENT = "default"
"""What settings call the environment that is null in principals and audiences."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may read: whoever meets every clause and, being an agent, is in the environment (None: the default one)."""

    clauses: tuple[Clause, ...]
    environment: str | None = None

    def texts(self) -> Sequence[Sequence[str]]:
        """Return the clauses in their one canonical order."""
        return sorted(sorted(clause) for clause in self.clauses)

    def digest(self) -> bytes:
        """Return what tells equal audiences: SHA-256 over clauses a line, tokens apart by blanks."""
        lines = [" ".join(clause) for clause in self.texts()]
        if self.environment is not None:
            lines.append(f"@{self.environment}")
        return hashlib.sha256("\n".join(lines).encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessSettings:
    """What was said about a folder or an item. `audience` holds tokens, None where nothing of its own was said.

    Without `inherits`, nothing holds that was said further up. `environment` None is that of the folder above.
    """

    audience_kind: AudienceKind | None = None
    audience: frozenset[str] | None = None
    inherits: bool = True
    is_restricted: bool = False
    environment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One step of the way to an item: a folder, or at the end the item itself.

    `creator` is the token of who made the item. `readers` and `writers` are tokens of whom grants name here;
    writers are among the readers.
    """

    path: str
    folder_id: FolderId | None = None
    item_id: UUID | None = None
    creator: str | None = None
    settings: AccessSettings = AccessSettings()
    readers: frozenset[str] = frozenset()
    writers: frozenset[str] = frozenset()


class ClauseReason(StrEnum):
    """Why readers must meet a clause."""

    WORKSPACE = "workspace"
    """Nothing is said: the workspace's readers."""
    AUDIENCE = "audience"
    ONLY_ME = "only_me"
    RESTRICTION = "restriction"
    BREAK = "break"
    """A place inherits nothing and says nothing: its owners."""


@dataclass(frozen=True, slots=True)
class TracedClause:
    """A clause with where it comes from: the tokens that `place` said, and the places whose grants add theirs.

    `place` is None where nothing was said on the whole way.
    """

    reason: ClauseReason
    said: Clause
    place: Place | None = None
    widened_at: tuple[Place, ...] = ()

    @property
    def tokens(self) -> Clause:
        """Return all tokens that meet the clause."""
        return self.said.union(*(place.readers for place in self.widened_at))


@dataclass(frozen=True, slots=True)
class TracedAudience:
    """How an audience came about. `places` are those from the last one on that inherits nothing.

    `environment_at` is the place that said the environment last, None where none did.
    """

    audience: Audience
    clauses: tuple[TracedClause, ...]
    places: tuple[Place, ...]
    environment_at: Place | None
