"""Folders about which something is said: who may read what lies in them, and grants on them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from chalicelib.access.model import FolderId, GrantId
from chalicelib.http.access_resources import (
    AccessBody,
    AccessResource,
    GrantBody,
    GrantList,
    GrantResource,
    access_choice,
    access_resource,
    grant_page,
    grant_resource,
    grantee_of,
)
from chalicelib.http.cursors import Page, cut_page, read_id_position, read_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import InvalidPath
from chalicelib.sharing.change_access import change_folder_access
from chalicelib.sharing.errors import FolderNotFound, GrantNotFound, InvalidAccess
from chalicelib.sharing.manage_folders import forget_folder, list_folders, put_folder, read_folder, read_folder_access
from chalicelib.sharing.manage_grants import give_grant, list_grants, read_grant, take_grant
from chalicelib.sharing.model import Folder

routes = Routes("folders")

_FOLDERS = "/v1/workspaces/{workspace_id}/folders"
_FOLDER = f"{_FOLDERS}/{{folder_id}}"
_ACCESS = f"{_FOLDER}/access"
_GRANTS = f"{_FOLDER}/grants"
_GRANT = f"{_FOLDER}/grants/{{grant_id}}"
_PROBLEMS = (WorkspaceNotFound, FolderNotFound, ActionForbidden)


class SharedFolderResource(Resource):
    """A folder about which something can be said."""

    id: UUID
    path: str
    created_by: UUID | None
    created_at: datetime


class SharedFolderList(Resource):
    """A page of folders, in order of their paths."""

    folders: Sequence[SharedFolderResource]
    next_cursor: str | None


class NewFolder(Body):
    """Which folder; nothing needs to lie in it yet."""

    path: str


@routes.on(
    "GET",
    _FOLDERS,
    query=Page,
    body=NoBody,
    answers={200: SharedFolderList},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidCursor),
)
def list_shared_folders(call: Call[Page, NoBody]) -> Answer:
    """List the folders about which something is said, for owners. The tree shows all folders."""
    position = read_position(call)
    folders = list_folders(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        after=None if position is None else str(position[0]),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, folders, position_of=lambda folder: [folder.path])
    resources = [_resource(folder) for folder in shown]
    return Answer(body=SharedFolderList(folders=resources, next_cursor=next_cursor))


def _resource(folder: Folder) -> SharedFolderResource:
    return SharedFolderResource(
        id=folder.id, path=folder.path, created_by=folder.created_by, created_at=folder.created_at
    )


def _folder_id(call: Call[Any, Any]) -> FolderId:
    return FolderId(call.ids["folder_id"])


def show_folder_again(call: Call[Any, Any], folder_id: UUID) -> Answer:
    """Show a folder to who repeats a request about it."""
    folder = read_folder(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, folder_id=FolderId(folder_id)
    )
    return Answer(body=_resource(folder))


@routes.on(
    "POST",
    _FOLDERS,
    query=NoQuery,
    body=NewFolder,
    answers={201: SharedFolderResource, 200: SharedFolderResource},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidPath, FolderNotFound),
    show_again=show_folder_again,
)
def name_folder(call: Call[NoQuery, NewFolder]) -> Answer:
    """Give a folder an id under which something can be said about it, or answer the one that it has."""
    folder, is_new = put_folder(call.tx, principal=call.principal, workspace_id=call.workspace_id, path=call.body.path)
    location = f"/v1/workspaces/{call.workspace_id}/folders/{folder.id}"
    return Answer(201 if is_new else 200, _resource(folder), headers={"Location": location}, about=folder.id)


@routes.on("GET", _FOLDER, query=NoQuery, body=NoBody, answers={200: SharedFolderResource}, problems=_PROBLEMS)
def show_shared_folder(call: Call[NoQuery, NoBody]) -> Answer:
    """Show a folder about which something is said."""
    folder = read_folder(call.tx, principal=call.principal, workspace_id=call.workspace_id, folder_id=_folder_id(call))
    return Answer(body=_resource(folder))


@routes.on("DELETE", _FOLDER, query=NoQuery, body=NoBody, answers={204: None}, problems=_PROBLEMS)
def forget_shared_folder(call: Call[NoQuery, NoBody]) -> Answer:
    """Forget what was said about a folder and the grants on it; what lies in it stays."""
    forget_folder(call.tx, principal=call.principal, workspace_id=call.workspace_id, folder_id=_folder_id(call))
    return Answer(204)


@routes.on("GET", _ACCESS, query=NoQuery, body=NoBody, answers={200: AccessResource}, problems=_PROBLEMS)
def show_folder_access(call: Call[NoQuery, NoBody]) -> Answer:
    """Show what is said about a folder itself."""
    subject = read_folder_access(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, folder_id=_folder_id(call)
    )
    return Answer(body=access_resource(subject))


@routes.on(
    "PUT",
    _ACCESS,
    query=NoQuery,
    body=AccessBody,
    answers={200: AccessResource},
    problems=(*_PROBLEMS, InvalidAccess),
)
def say_folder_access(call: Call[NoQuery, AccessBody]) -> Answer:
    """Say who may read what lies in a folder and below it."""
    subject = change_folder_access(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        folder_id=_folder_id(call),
        choice=access_choice(call.body),
    )
    return Answer(body=access_resource(subject))


@routes.on(
    "GET",
    _GRANTS,
    query=Page,
    body=NoBody,
    answers={200: GrantList},
    problems=(*_PROBLEMS, InvalidCursor),
)
def list_folder_grants(call: Call[Page, NoBody]) -> Answer:
    """List the grants on a folder itself, for owners."""
    grants = list_grants(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=_folder_id(call),
        is_folder=True,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    return grant_page(call, grants)


def show_folder_grant_again(call: Call[Any, Any], grant_id: UUID) -> Answer:
    """Show a grant to who repeats a request about it."""
    grant = read_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=_folder_id(call),
        is_folder=True,
        grant_id=GrantId(grant_id),
    )
    return Answer(body=grant_resource(grant))


@routes.on(
    "POST",
    _GRANTS,
    query=NoQuery,
    body=GrantBody,
    answers={201: GrantResource},
    problems=(*_PROBLEMS, InvalidAccess, GrantNotFound),
    show_again=show_folder_grant_again,
)
def grant_folder(call: Call[NoQuery, GrantBody]) -> Answer:
    """Give a member or a team an action on a folder; another one takes the place of the first."""
    member_id, team_id = grantee_of(call.body)
    grant = give_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=_folder_id(call),
        is_folder=True,
        action=call.body.action,
        member_id=member_id,
        team_id=team_id,
    )
    return Answer(201, grant_resource(grant), about=grant.id)


@routes.on(
    "DELETE",
    _GRANT,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(*_PROBLEMS, GrantNotFound),
)
def take_folder_grant(call: Call[NoQuery, NoBody]) -> Answer:
    """Take a grant on a folder away; it ends on the next read."""
    take_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=_folder_id(call),
        is_folder=True,
        grant_id=GrantId(call.ids["grant_id"]),
    )
    return Answer(204)
