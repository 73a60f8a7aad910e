"""Single items: added, shown, replaced, changed and deleted."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.item_changes import merged_draft, new_draft, replaced_draft
from chalicelib.http.item_resources import (
    ItemChanges,
    WholeItemResource,
    WrittenItem,
    item_at_revision,
    whole_item_resource,
)
from chalicelib.http.requests import is_known_revision, read_if_match
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Query, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.swap import remove_from_index
from chalicelib.intake.change_upload import releasing_uploads
from chalicelib.items.change_item import change_item, delete_item
from chalicelib.items.create_item import create_item
from chalicelib.items.errors import (
    BodyTooLarge,
    InvalidItem,
    InvalidPath,
    ItemNotFound,
    PathTaken,
    QuotaExceeded,
    RevisionConflict,
    RevisionNotFound,
)
from chalicelib.items.model import (
    Draft,
    Item,
    ItemId,
)
from chalicelib.items.read_item import read_item, read_revision
from chalicelib.items.record_item import record_item_read
from chalicelib.telemetry.metric_names import Metric

routes = Routes("items")

ITEMS_PATH = "/v1/workspaces/{workspace_id}/items"
ITEM_PATH = "/v1/workspaces/{workspace_id}/items/{item_id}"
READ_PROBLEMS = (WorkspaceNotFound, ItemNotFound, ActionForbidden)
_WRITE_PROBLEMS = (
    *READ_PROBLEMS,
    RevisionConflict,
    PathTaken,
    InvalidPath,
    InvalidItem,
    BodyTooLarge,
    QuotaExceeded,
)


class ItemQuery(Query):
    """Which state of the item."""

    revision: int | None = Field(None, ge=1, le=2**31 - 1, description="By default the present one.")


def etag_of(revision: int) -> dict[str, str]:
    """Return the header that names a revision."""
    return {"ETag": f'"{revision}"'}


def show_whole_again(call: Call[Any, Any], item_id: UUID) -> Answer:
    """Show an item with its body to who repeats a request about it."""
    item = read_item(call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=ItemId(item_id))
    return Answer(body=_whole(call, item), headers=etag_of(item.revision))


@routes.on(
    "POST",
    ITEMS_PATH,
    query=NoQuery,
    body=WrittenItem,
    answers={201: WholeItemResource},
    problems=(
        WorkspaceNotFound,
        ActionForbidden,
        PathTaken,
        InvalidPath,
        InvalidItem,
        BodyTooLarge,
        QuotaExceeded,
    ),
    show_again=show_whole_again,
)
def add_item(call: Call[NoQuery, WrittenItem]) -> Answer:
    """Add an item at a free path."""
    item = create_item(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        draft=new_draft(call.body),
        rules=call.application.item_rules,
    )
    location = f"/v1/workspaces/{call.workspace_id}/items/{item.id}"
    headers = {**etag_of(item.revision), "Location": location}
    return Answer(201, _whole(call, item), headers, about=item.id, measured={Metric.ITEMS_CREATED: 1})


@routes.on(
    "GET",
    ITEM_PATH,
    query=ItemQuery,
    body=NoBody,
    answers={200: WholeItemResource, 304: None},
    problems=(*READ_PROBLEMS, RevisionNotFound),
    conditional=("If-None-Match",),
)
def show_item(call: Call[ItemQuery, NoBody]) -> Answer:
    """Show an item with its body, now or at an earlier revision."""
    item = read_item(call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=item_id_of(call))
    number = call.query.revision or item.revision
    etag = etag_of(number)
    if is_known_revision(call.headers, etag["ETag"]) and number <= item.revision:
        return Answer(304, headers=etag)
    record_item_read(call.tx, item, principal=call.principal, revision=number)
    if number == item.revision:
        return Answer(body=_whole(call, item), headers=etag)
    revision = read_revision(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=item.id, number=number
    )
    return Answer(body=item_at_revision(item, revision), headers=etag)


@routes.on(
    "PUT",
    ITEM_PATH,
    query=NoQuery,
    body=WrittenItem,
    answers={200: WholeItemResource},
    problems=_WRITE_PROBLEMS,
    conditional=("If-Match",),
)
def replace_item(call: Call[NoQuery, WrittenItem]) -> Answer:
    """Replace an item's path, title, body and all that describes it."""
    return _changed(call, lambda present: replaced_draft(present, call.body))


@routes.on(
    "PATCH",
    ITEM_PATH,
    query=NoQuery,
    body=ItemChanges,
    answers={200: WholeItemResource},
    problems=_WRITE_PROBLEMS,
    conditional=("If-Match",),
)
def update_item(call: Call[NoQuery, ItemChanges]) -> Answer:
    """Change parts of an item; another path moves it."""
    return _changed(call, lambda present: merged_draft(present, call.body))


@routes.on(
    "DELETE",
    ITEM_PATH,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(*READ_PROBLEMS, RevisionConflict),
    conditional=("If-Match",),
)
def delete_item_at(call: Call[NoQuery, NoBody]) -> Answer:
    """Delete an item; it is out of every list and search at once."""
    delete_item(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=item_id_of(call),
        expected_revision=read_if_match(call.headers),
        rules=call.application.item_rules,
        remove_from_index=releasing_uploads(remove_from_index),
    )
    return Answer(204)


def _changed(call: Call[NoQuery, Any], change: Callable[[Draft], Draft]) -> Answer:
    item = change_item(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=item_id_of(call),
        expected_revision=read_if_match(call.headers),
        change=change,
        rules=call.application.item_rules,
    )
    return Answer(body=_whole(call, item), headers=etag_of(item.revision))


def _whole(call: Call[Any, Any], item: Item) -> WholeItemResource:
    revision = read_revision(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=item.id, number=item.revision
    )
    return whole_item_resource(item, revision.body or "")


def item_id_of(call: Call[Any, Any]) -> ItemId:
    """Return the item that the path names."""
    return ItemId(call.ids["item_id"])
