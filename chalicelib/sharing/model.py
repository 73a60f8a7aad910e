"""The words of sharing as types."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from chalicelib.access.model import AccessSettings, AudienceKind, FolderId, GrantAction, GrantId, Place
from chalicelib.identity.model import PrincipalId, TeamId, WorkspaceId
from chalicelib.items.model import ItemId


@dataclass(frozen=True, slots=True)
class AudienceChoice:
    """An audience as people say it: teams where the kind is teams, members where it is named."""

    kind: AudienceKind
    team_ids: frozenset[TeamId] = frozenset()
    member_ids: frozenset[PrincipalId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessChoice:
    """All that is to be said about a folder or an item, in place of what was said before."""

    audience: AudienceChoice | None = None
    inherits: bool = True
    is_restricted: bool = False
    environment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A folder or an item about which something is said. `places` lead to it, itself included if known."""

    workspace_id: WorkspaceId
    path: str
    folder_id: FolderId | None = None
    item_id: ItemId | None = None
    created_by: PrincipalId | None = None
    places: Sequence[Place] = ()

    @property
    def id(self) -> UUID:
        """The folder's id or the item's."""
        return self.folder_id or self.item_id or UUID(int=0)

    @property
    def settings(self) -> AccessSettings:
        """What is said about it now."""
        own = [place for place in self.places if (place.item_id, place.folder_id) == (self.item_id, self.folder_id)]
        return own[0].settings if own else AccessSettings()


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder about which something can be said."""

    id: FolderId
    workspace_id: WorkspaceId
    path: str
    created_by: PrincipalId | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One member or team being given one action on a folder or an item. Writing includes reading."""

    id: GrantId
    action: GrantAction
    member_id: PrincipalId | None
    team_id: TeamId | None
    granted_by: PrincipalId | None
    granted_at: datetime
