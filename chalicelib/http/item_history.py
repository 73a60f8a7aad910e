"""What there is of an item beside itself: its revisions, its chunks, and another try at indexing it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from chalicelib.http.cursors import Page, cut_page, read_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.item_resources import ItemResource, RevisionResource, item_resource, revision_resource
from chalicelib.http.items import ITEM_PATH, READ_PROBLEMS, item_id_of
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.index.list_chunks import list_chunks
from chalicelib.items.change_item import retry_indexing
from chalicelib.items.model import ItemId
from chalicelib.items.read_item import list_revisions, read_item

routes = Routes("item_history")


class RevisionList(Resource):
    """A page of an item's revisions, the latest first."""

    revisions: Sequence[RevisionResource]
    next_cursor: str | None


@routes.on(
    "GET",
    f"{ITEM_PATH}/revisions",
    query=Page,
    body=NoBody,
    answers={200: RevisionList},
    problems=(*READ_PROBLEMS, InvalidCursor),
)
def list_item_revisions(call: Call[Page, NoBody]) -> Answer:
    """List an item's revisions, the latest first."""
    position = read_position(call)
    revisions = list_revisions(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=item_id_of(call),
        before=None if position is None else int(position[0]),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, revisions, position_of=lambda revision: [revision.number])
    resources = [revision_resource(revision) for revision in shown]
    return Answer(body=RevisionList(revisions=resources, next_cursor=next_cursor))


def show_item_again(call: Call[Any, Any], item_id: UUID) -> Answer:
    """Show an item without its body to who repeats a request about it."""
    item = read_item(call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=ItemId(item_id))
    return Answer(body=item_resource(item))


@routes.on(
    "POST",
    f"{ITEM_PATH}/retry",
    query=NoQuery,
    body=NoBody,
    answers={202: ItemResource},
    problems=READ_PROBLEMS,
    show_again=show_item_again,
)
def retry_item(call: Call[NoQuery, NoBody]) -> Answer:
    """Index an item's present revision anew."""
    item = retry_indexing(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=item_id_of(call),
        rules=call.application.item_rules,
    )
    pending = read_item(call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=item.id)
    return Answer(202, item_resource(pending), about=item.id)


class ChunkResource(Resource):
    """A passage in search. `span` are character offsets in the body of the item's `revision`.

    `opening` is what stands above a passage from within a table (caption and header) or code (the fence's first line).
    """

    id: UUID
    revision: int
    ordinal: int
    heading_path: Sequence[str]
    span: tuple[int, int]
    page: int | None
    opening: str
    text: str
    tokens: int


class ChunkList(Resource):
    """A page of an item's chunks, in their order."""

    chunks: Sequence[ChunkResource]
    next_cursor: str | None


@routes.on(
    "GET",
    f"{ITEM_PATH}/chunks",
    query=Page,
    body=NoBody,
    answers={200: ChunkList},
    problems=(*READ_PROBLEMS, InvalidCursor),
)
def list_item_chunks(call: Call[Page, NoBody]) -> Answer:
    """List the chunks of an item that are in search."""
    position = read_position(call)
    chunks = list_chunks(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=item_id_of(call),
        after=-1 if position is None else int(position[0]),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, chunks, position_of=lambda chunk: [chunk.ordinal])
    resources = [
        ChunkResource(
            id=chunk.id,
            revision=chunk.revision,
            ordinal=chunk.ordinal,
            heading_path=chunk.heading_path,
            span=(chunk.start, chunk.end),
            page=chunk.page,
            opening=chunk.opening,
            text=chunk.text,
            tokens=chunk.tokens,
        )
        for chunk in shown
    ]
    return Answer(body=ChunkList(chunks=resources, next_cursor=next_cursor))
