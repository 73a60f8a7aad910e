"""Lists of items."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, Field

from chalicelib.http.cursors import Page, cut_page, read_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.item_resources import ItemResource, item_resource
from chalicelib.http.items import ITEMS_PATH
from chalicelib.http.knowledge_base_choice import KNOWLEDGE_BASE, ids_chosen
from chalicelib.http.routing import Answer, Call, NoBody, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import InvalidPath
from chalicelib.items.list_items import list_items_by_path, list_items_by_update
from chalicelib.items.model import IndexState, Item, ItemClass, ItemFilters, ItemId, ItemKind, ItemScope, ItemStatus
from chalicelib.items.paths import checked_folder
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase, KnowledgeBaseNotFound

routes = Routes("item_listing")


class ItemList(Resource):
    """A page of items without their bodies."""

    items: Sequence[ItemResource]
    next_cursor: str | None


class ItemListQuery(Page):
    """Which items to list. Of a filter that is repeated any value fits, but all of `tag` and `category` must."""

    kind: Sequence[ItemKind] = ()
    item_class: Sequence[ItemClass] = Field((), alias="class")
    scope: Sequence[ItemScope] = ()
    status: Sequence[ItemStatus] = ()
    index_state: Sequence[IndexState] = ()
    language: Sequence[str] = ()
    tag: Sequence[str] = ()
    category: Sequence[str] = ()
    folder: str | None = Field(None, description="Only what lies in this folder's subtree.")
    path: str | None = Field(None, description="Only what lies at exactly this path.")
    updated_after: AwareDatetime | None = None
    updated_before: AwareDatetime | None = None
    knowledge_base: Sequence[str] = Field((), description=KNOWLEDGE_BASE)
    sort: Literal["path", "updated"] = Field("path", description="By path, or what was changed last first.")


@routes.on(
    "GET",
    ITEMS_PATH,
    query=ItemListQuery,
    body=NoBody,
    answers={200: ItemList},
    problems=(
        WorkspaceNotFound,
        ActionForbidden,
        InvalidPath,
        InvalidCursor,
        KnowledgeBaseNotFound,
        InvalidKnowledgeBase,
    ),
)
def list_items(call: Call[ItemListQuery, NoBody]) -> Answer:
    """List items by path or by their last change."""
    query = call.query
    filters = ItemFilters(
        kinds=query.kind,
        classes=query.item_class,
        scopes=query.scope,
        statuses=query.status,
        states=query.index_state,
        languages=query.language,
        tags=query.tag,
        categories=query.category,
        folder=None if query.folder is None else checked_folder(query.folder),
        path=query.path,
        updated_after=query.updated_after,
        updated_before=query.updated_before,
        knowledge_bases=ids_chosen(call, query.knowledge_base),
    )
    by_path = query.sort == "path"
    items = _by_path(call, filters) if by_path else _by_update(call, filters)
    shown, next_cursor = cut_page(
        call,
        items,
        position_of=lambda item: [item.path] if by_path else [item.updated_at.isoformat(), str(item.id)],
    )
    return Answer(body=ItemList(items=[item_resource(item) for item in shown], next_cursor=next_cursor))


def _by_path(call: Call[ItemListQuery, NoBody], filters: ItemFilters) -> Sequence[Item]:
    position = read_position(call)
    return list_items_by_path(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        filters=filters,
        after_path=None if position is None else str(position[0]),
        limit=call.query.limit + 1,
    )


def _by_update(call: Call[ItemListQuery, NoBody], filters: ItemFilters) -> Sequence[Item]:
    position = read_position(call)
    last = None if position is None else (datetime.fromisoformat(position[0]), ItemId(UUID(position[1])))
    return list_items_by_update(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        filters=filters,
        last=last,
        limit=call.query.limit + 1,
    )
