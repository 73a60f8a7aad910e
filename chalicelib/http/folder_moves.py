"""Moving, renaming and deleting folders with all that lies in them."""

from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.database.ids import new_id
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Query, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.swap import remove_items_from_index
from chalicelib.items.errors import InvalidPath, PathTaken
from chalicelib.sharing.delete_folder import delete_folder
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.move_folder import MovedFolder, move_folder, read_moved_folder

routes = Routes("folder_moves")


class FolderMove(Body):
    """Which folder to move where. The new path need not exist, and may be a folder with other things in it."""

    source: str = Field(alias="from", description="The path of the folder.")
    target: str = Field(alias="to", description="The path that it is to have.")


class MovedFolderResource(Resource):
    """A folder at its new path; `items` counts the readable ones in its subtree that came with it."""

    path: str
    items: int


def show_moved_folder_again(call: Call[Any, Any], _about: UUID) -> Answer:
    """Show what a folder holds now to who repeats the request that moved it."""
    moved = read_moved_folder(call.tx, principal=call.principal, workspace_id=call.workspace_id, path=call.body.target)
    return Answer(body=_resource(moved))


@routes.on(
    "POST",
    "/v1/workspaces/{workspace_id}/folders/move",
    query=NoQuery,
    body=FolderMove,
    answers={200: MovedFolderResource},
    problems=(WorkspaceNotFound, FolderNotFound, ActionForbidden, InvalidPath, PathTaken),
    show_again=show_moved_folder_again,
)
def move_folder_to(call: Call[NoQuery, FolderMove]) -> Answer:
    """Move or rename a folder with all that lies in it, or nothing of it."""
    moved = move_folder(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        source=call.body.source,
        target=call.body.target,
    )
    # A folder need have no id; the request itself is what is remembered.
    return Answer(body=_resource(moved), about=new_id())


class FolderQuery(Query):
    """Which folder."""

    folder: str = Field(description="Its path.")


class DeletedFolderResource(Resource):
    """A folder that was deleted; `items` counts what came into the trash by that."""

    path: str
    items: int


@routes.on(
    "DELETE",
    "/v1/workspaces/{workspace_id}/tree",
    query=FolderQuery,
    body=NoBody,
    answers={200: DeletedFolderResource},
    problems=(WorkspaceNotFound, FolderNotFound, ActionForbidden, InvalidPath),
)
def delete_folder_at(call: Call[FolderQuery, NoBody]) -> Answer:
    """Delete all that the caller may read in a folder; it is out of every list and search at once."""
    deleted = delete_folder(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        folder=call.query.folder,
        rules=call.application.item_rules,
        remove_from_index=remove_items_from_index,
    )
    return Answer(body=DeletedFolderResource(path=deleted.path, items=deleted.items))


def _resource(moved: MovedFolder) -> MovedFolderResource:
    return MovedFolderResource(path=moved.path, items=moved.items)
