"""The tree that items' paths form, and the tags in use."""

from collections.abc import Sequence

from pydantic import Field

from chalicelib.http.cursors import Page, cut_page, read_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.item_resources import ItemResource, item_resource
from chalicelib.http.knowledge_base_choice import KNOWLEDGE_BASE, ids_chosen
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import InvalidPath
from chalicelib.items.list_items import list_tags, read_folder
from chalicelib.items.model import ItemFilters
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase, KnowledgeBaseNotFound

routes = Routes("tree")


class FolderResource(Resource):
    """A subfolder; `items` counts the readable ones in its subtree."""

    path: str
    name: str
    items: int


class TreeResource(Resource):
    """What lies directly in a folder. Items come in pages, subfolders all with each."""

    folder: str
    folders: Sequence[FolderResource]
    items: Sequence[ItemResource]
    next_cursor: str | None


class TagResource(Resource):
    """A tag and how many readable items bear it."""

    tag: str
    items: int


class TagList(Resource):
    """The tags in use, the most used first."""

    tags: Sequence[TagResource]


class TreeQuery(Page):
    """Which folder to show."""

    folder: str = Field("", description="Its path; empty for the root.")
    knowledge_base: Sequence[str] = Field((), description=KNOWLEDGE_BASE)


@routes.on(
    "GET",
    "/v1/workspaces/{workspace_id}/tree",
    query=TreeQuery,
    body=NoBody,
    answers={200: TreeResource},
    problems=(
        WorkspaceNotFound,
        ActionForbidden,
        InvalidPath,
        InvalidCursor,
        KnowledgeBaseNotFound,
        InvalidKnowledgeBase,
    ),
)
def show_folder(call: Call[TreeQuery, NoBody]) -> Answer:
    """Show a folder's subfolders and items; one without readable items is empty, whether it exists or not."""
    position = read_position(call)
    folder = read_folder(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        folder=call.query.folder,
        filters=ItemFilters(knowledge_bases=ids_chosen(call, call.query.knowledge_base)),
        after_path=None if position is None else str(position[0]),
        limit=call.query.limit + 1,
    )
    prefix = f"{folder.path}/" if folder.path else ""
    shown, next_cursor = cut_page(call, folder.items, position_of=lambda item: [item.path])
    return Answer(
        body=TreeResource(
            folder=folder.path,
            folders=[
                FolderResource(path=prefix + name, name=name, items=items) for name, items in folder.folders.items()
            ],
            items=[item_resource(item) for item in shown],
            next_cursor=next_cursor,
        )
    )


@routes.on(
    "GET",
    "/v1/workspaces/{workspace_id}/tags",
    query=NoQuery,
    body=NoBody,
    answers={200: TagList},
    problems=(WorkspaceNotFound, ActionForbidden),
)
def list_workspace_tags(call: Call[NoQuery, NoBody]) -> Answer:
    """List the tags in use, the most used first, at most 1,000."""
    tags = list_tags(call.tx, principal=call.principal, workspace_id=call.workspace_id)
    return Answer(body=TagList(tags=[TagResource(tag=tag, items=items) for tag, items in tags.items()]))
