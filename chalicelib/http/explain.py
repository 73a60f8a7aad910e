"""Why somebody can or cannot read an item or a folder, and who can."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.access.model import ClauseReason, FolderId, GrantAction
from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.items import ITEM_PATH, READ_PROBLEMS, item_id_of
from chalicelib.http.routing import Answer, Call, NoBody, Query, Resource, Routes
from chalicelib.identity.errors import MemberNotFound, WorkspaceNotFound
from chalicelib.identity.model import KeyScope, PrincipalId, PrincipalKind, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.model import ItemId
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.explain_access import explain_access
from chalicelib.sharing.explain_model import Explanation, GroundKind, KeyLimits, ObstacleReason, Standing
from chalicelib.sharing.list_readers import list_readers

routes = Routes("explain")

_FOLDER = "/v1/workspaces/{workspace_id}/folders/{folder_id}"
_FOLDER_PROBLEMS = (WorkspaceNotFound, FolderNotFound, ActionForbidden)


class ExplanationQuery(Query):
    """About whom."""

    member_id: UUID | None = Field(None, description="By default the caller; about others, owners alone may ask.")


class GroundResource(Resource):
    """By what somebody meets a clause or may write. Of a grant: where, to which team, by whom and when."""

    kind: GroundKind
    team_id: UUID | None
    team_name: str | None
    path: str | None
    grant_id: UUID | None
    action: GrantAction | None
    granted_by: UUID | None
    granted_by_name: str | None
    granted_at: datetime | None


class NamedResource(Resource):
    """A team or a member that a clause names."""

    kind: str
    id: UUID
    name: str | None


class ClauseResource(Resource):
    """One clause that readers must meet. `path` is where it was said, null where nothing was."""

    reason: ClauseReason
    path: str | None
    folder_id: UUID | None
    item_id: UUID | None
    named: Sequence[NamedResource]
    is_met: bool
    grounds: Sequence[GroundResource]


class ObstacleResource(Resource):
    """One thing that stands in the way of reading or writing, and what would have to change."""

    reason: ObstacleReason
    action: GrantAction
    path: str | None
    detail: str


class StandingResource(Resource):
    """How one principal stands to it. `role` null: there is no way into the workspace."""

    id: UUID
    kind: PrincipalKind
    name: str
    is_disabled: bool
    is_admin: bool
    role: WorkspaceRole | None
    environment: str | None
    can_read: bool
    can_write: bool
    clauses: Sequence[ClauseResource]
    write_grounds: Sequence[GroundResource]
    obstacles: Sequence[ObstacleResource]


class KeyLimitsResource(Resource):
    """What the key in use allows. `is_limited`: to some of its principal's workspaces."""

    scopes: Sequence[KeyScope]
    is_limited: bool


class ExplanationResource(Resource):
    """Why somebody can or cannot read and write. Whoever acts on behalf of another can what both can."""

    path: str
    folder_id: UUID | None
    item_id: UUID | None
    can_read: bool
    can_write: bool
    environment: str | None
    environment_path: str | None
    standing: StandingResource
    on_behalf_of: StandingResource | None
    key: KeyLimitsResource | None


class ReaderResource(Resource):
    """A principal that can read it, and by what."""

    id: UUID
    kind: PrincipalKind
    name: str
    role: WorkspaceRole
    grounds: Sequence[GroundResource]


class ReaderList(Resource):
    """A page of readers, in order of their ids. `counts` are of all of them, by kind."""

    readers: Sequence[ReaderResource]
    counts: Mapping[PrincipalKind, int]
    next_cursor: str | None


@routes.on(
    "GET",
    f"{ITEM_PATH}/access/explanation",
    query=ExplanationQuery,
    body=NoBody,
    answers={200: ExplanationResource},
    problems=(*READ_PROBLEMS, MemberNotFound),
)
def explain_item(call: Call[ExplanationQuery, NoBody]) -> Answer:
    """Explain why a member can or cannot read and write an item: owners ask about all, others about themselves."""
    return _explained(call, item_id_of(call), is_folder=False)


@routes.on(
    "GET",
    f"{_FOLDER}/access/explanation",
    query=ExplanationQuery,
    body=NoBody,
    answers={200: ExplanationResource},
    problems=(*_FOLDER_PROBLEMS, MemberNotFound),
)
def explain_folder(call: Call[ExplanationQuery, NoBody]) -> Answer:
    """Explain the same of what lies in a folder, unless more is said deeper in it."""
    return _explained(call, FolderId(call.ids["folder_id"]), is_folder=True)


@routes.on(
    "GET",
    f"{ITEM_PATH}/readers",
    query=Page,
    body=NoBody,
    answers={200: ReaderList},
    problems=(*READ_PROBLEMS, InvalidCursor),
)
def list_item_readers(call: Call[Page, NoBody]) -> Answer:
    """List who can read an item and by what, for owners."""
    return _listed(call, item_id_of(call), is_folder=False)


@routes.on(
    "GET",
    f"{_FOLDER}/readers",
    query=Page,
    body=NoBody,
    answers={200: ReaderList},
    problems=(*_FOLDER_PROBLEMS, InvalidCursor),
)
def list_folder_readers(call: Call[Page, NoBody]) -> Answer:
    """List who can read what lies in a folder and by what, for owners."""
    return _listed(call, FolderId(call.ids["folder_id"]), is_folder=True)


def _explained(call: Call[ExplanationQuery, NoBody], subject_id: ItemId | FolderId, *, is_folder: bool) -> Answer:
    member_id = call.query.member_id
    explanation = explain_access(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=subject_id,
        is_folder=is_folder,
        member_id=None if member_id is None else PrincipalId(member_id),
    )
    return Answer(body=_resource(explanation))


def _listed(call: Call[Page, Any], subject_id: ItemId | FolderId, *, is_folder: bool) -> Answer:
    found = list_readers(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=subject_id,
        is_folder=is_folder,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, found.readers, position_of=lambda reader: [str(reader.id)])
    readers = [ReaderResource.model_validate(reader) for reader in shown]
    return Answer(body=ReaderList(readers=readers, counts=found.counts_by_kind, next_cursor=next_cursor))


def _resource(explanation: Explanation) -> ExplanationResource:
    subject = explanation.subject
    return ExplanationResource(
        path=subject.path,
        folder_id=subject.folder_id,
        item_id=subject.item_id,
        can_read=explanation.can_read,
        can_write=explanation.can_write,
        environment=explanation.environment,
        environment_path=explanation.environment_path,
        standing=_standing(explanation.standing),
        on_behalf_of=None if explanation.on_behalf_of is None else _standing(explanation.on_behalf_of),
        key=None if explanation.key is None else _key_limits(explanation.key),
    )


def _standing(standing: Standing) -> StandingResource:
    return StandingResource.model_validate(standing)


def _key_limits(key: KeyLimits) -> KeyLimitsResource:
    return KeyLimitsResource(scopes=sorted(key.scopes), is_limited=key.is_limited)
