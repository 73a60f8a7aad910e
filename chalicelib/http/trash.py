"""The trash: what was deleted, shown, restored, and deleted for good."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.cursors import Page, cut_page, read_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.item_history import RevisionList
from chalicelib.http.item_resources import (
    ItemResource,
    WholeItemResource,
    item_at_revision,
    item_resource,
    revision_resource,
    whole_item_resource,
)
from chalicelib.http.items import ItemQuery, etag_of, show_whole_again
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Query, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.model import PrincipalId
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake.purge_items import empty_trash, purge_item
from chalicelib.intake.restore_item import restore_item
from chalicelib.items.errors import InvalidPath, ItemNotFound, PathTaken, QuotaExceeded, RevisionNotFound
from chalicelib.items.model import ItemId
from chalicelib.items.paths import checked_folder
from chalicelib.items.read_trash import list_trash, list_trashed_revisions, read_trashed_item, read_trashed_revision
from chalicelib.items.record_item import record_item_read
from chalicelib.items.trash_store import TrashedItem, TrashFilters

routes = Routes("trash")

_TRASH = "/v1/workspaces/{workspace_id}/trash"
_TRASHED = f"{_TRASH}/{{trashed_item_id}}"
_PROBLEMS = (WorkspaceNotFound, ItemNotFound, ActionForbidden)


class TrashedItemResource(Resource):
    """An item in the trash. After `kept_until` it is deleted for good by itself; null: never."""

    item: ItemResource
    deleted_at: datetime
    deleted_by: UUID | None
    kept_until: datetime | None


class WholeTrashedItemResource(TrashedItemResource):
    """An item in the trash with its body."""

    item: WholeItemResource


class TrashList(Resource):
    """A page of the trash, what was deleted last first."""

    items: Sequence[TrashedItemResource]
    next_cursor: str | None


class TrashQuery(Page):
    """Which of the trash to list."""

    path: str | None = Field(None, description="Only what lay at exactly this path.")
    folder: str | None = Field(None, description="Only what lay in this folder's subtree.")
    deleted_by: UUID | None = Field(None, description="Only what this member deleted.")


class Restoring(Body):
    """Where to restore an item to."""

    path: str | None = Field(None, description="By default the path that it lay at.")


class EmptyingQuery(Query):
    """How much to delete at a time."""

    limit: int = Field(200, ge=1, le=200, description="How many items to delete for good at most.")


class EmptiedResource(Resource):
    """How many items were deleted for good; where `has_more`, the request is to be repeated for the others."""

    deleted: int
    has_more: bool


@routes.on(
    "GET",
    _TRASH,
    query=TrashQuery,
    body=NoBody,
    answers={200: TrashList},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidPath, InvalidCursor),
)
def list_trashed_items(call: Call[TrashQuery, NoBody]) -> Answer:
    """List the trash, what was deleted last first."""
    query, position = call.query, read_position(call)
    trashed = list_trash(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        filters=TrashFilters(
            path=query.path,
            folder=None if query.folder is None else checked_folder(query.folder),
            deleted_by=None if query.deleted_by is None else PrincipalId(query.deleted_by),
        ),
        last=None if position is None else (datetime.fromisoformat(position[0]), ItemId(UUID(position[1]))),
        limit=query.limit + 1,
    )
    shown, next_cursor = cut_page(
        call, trashed, position_of=lambda entry: [entry.deleted_at.isoformat(), str(entry.item.id)]
    )
    items = [TrashedItemResource(item=item_resource(entry.item), **_burial(call, entry)) for entry in shown]
    return Answer(body=TrashList(items=items, next_cursor=next_cursor))


@routes.on(
    "GET",
    _TRASHED,
    query=ItemQuery,
    body=NoBody,
    answers={200: WholeTrashedItemResource},
    problems=(*_PROBLEMS, RevisionNotFound),
)
def show_trashed_item(call: Call[ItemQuery, NoBody]) -> Answer:
    """Show an item in the trash with its body, as it was deleted or at an earlier revision."""
    entry = read_trashed_item(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=_item_id_of(call)
    )
    number = call.query.revision or entry.item.revision
    revision = read_trashed_revision(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=entry.item.id, number=number
    )
    record_item_read(call.tx, entry.item, principal=call.principal, revision=number)
    is_last = number == entry.item.revision
    item = whole_item_resource(entry.item, revision.body or "") if is_last else item_at_revision(entry.item, revision)
    return Answer(body=WholeTrashedItemResource(item=item, **_burial(call, entry)))


@routes.on(
    "GET",
    f"{_TRASHED}/revisions",
    query=Page,
    body=NoBody,
    answers={200: RevisionList},
    problems=(*_PROBLEMS, InvalidCursor),
)
def list_trashed_item_revisions(call: Call[Page, NoBody]) -> Answer:
    """List the revisions of an item in the trash, the latest first."""
    position = read_position(call)
    revisions = list_trashed_revisions(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=_item_id_of(call),
        before=None if position is None else int(position[0]),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, revisions, position_of=lambda revision: [revision.number])
    resources = [revision_resource(revision) for revision in shown]
    return Answer(body=RevisionList(revisions=resources, next_cursor=next_cursor))


@routes.on(
    "POST",
    f"{_TRASHED}/restore",
    query=NoQuery,
    body=Restoring,
    answers={200: WholeItemResource},
    problems=(*_PROBLEMS, PathTaken, InvalidPath, QuotaExceeded),
    show_again=show_whole_again,
)
def restore_trashed_item(call: Call[NoQuery, Restoring]) -> Answer:
    """Restore an item as its next revision, to the path that it lay at or to another one."""
    item = restore_item(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=_item_id_of(call),
        path=call.body.path,
        rules=call.application.item_rules,
    )
    shown = show_whole_again(call, item.id)
    return Answer(body=shown.body, headers=etag_of(item.revision), about=item.id)


@routes.on("DELETE", _TRASHED, query=NoQuery, body=NoBody, answers={204: None}, problems=_PROBLEMS)
def purge_trashed_item(call: Call[NoQuery, NoBody]) -> Answer:
    """Delete an item in the trash for good, with its revisions, its uploads, and originals that no other has."""
    purge_item(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=_item_id_of(call),
        rules=call.application.intake_rules,
    )
    return Answer(204)


@routes.on(
    "DELETE",
    _TRASH,
    query=EmptyingQuery,
    body=NoBody,
    answers={200: EmptiedResource},
    problems=(WorkspaceNotFound, ActionForbidden),
)
def empty_workspace_trash(call: Call[EmptyingQuery, NoBody]) -> Answer:
    """Delete what lies in the trash for good, the oldest first, in parts; for owners."""
    emptied = empty_trash(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        limit=call.query.limit,
        rules=call.application.intake_rules,
    )
    return Answer(body=EmptiedResource(deleted=emptied.items, has_more=emptied.has_more))


def _burial(call: Call[Any, Any], entry: TrashedItem) -> dict[str, Any]:
    days = call.application.settings.trash_days
    return {
        "deleted_at": entry.deleted_at,
        "deleted_by": entry.deleted_by,
        "kept_until": entry.deleted_at + timedelta(days=days) if days else None,
    }


def _item_id_of(call: Call[Any, Any]) -> ItemId:
    return ItemId(call.ids["trashed_item_id"])
