"""Who may read an item: what is said about it, and grants on it."""

from typing import Any
from uuid import UUID

from chalicelib.access.model import GrantId
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
from chalicelib.http.cursors import Page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.items import ITEM_PATH, READ_PROBLEMS, item_id_of
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Routes
from chalicelib.sharing.change_access import change_item_access, read_item_access
from chalicelib.sharing.errors import GrantNotFound, InvalidAccess
from chalicelib.sharing.manage_grants import give_grant, list_grants, read_grant, take_grant

routes = Routes("item_access")

_ACCESS = f"{ITEM_PATH}/access"
_GRANTS = f"{ITEM_PATH}/grants"
_GRANT = f"{ITEM_PATH}/grants/{{grant_id}}"


@routes.on("GET", _ACCESS, query=NoQuery, body=NoBody, answers={200: AccessResource}, problems=READ_PROBLEMS)
def show_item_access(call: Call[NoQuery, NoBody]) -> Answer:
    """Show what is said about an item itself, to owners and who made it."""
    subject = read_item_access(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, item_id=item_id_of(call)
    )
    return Answer(body=access_resource(subject))


@routes.on(
    "PUT",
    _ACCESS,
    query=NoQuery,
    body=AccessBody,
    answers={200: AccessResource},
    problems=(*READ_PROBLEMS, InvalidAccess),
)
def say_item_access(call: Call[NoQuery, AccessBody]) -> Answer:
    """Say who may read an item, in all its revisions: owners anything, who made it only-me or nothing."""
    subject = change_item_access(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        item_id=item_id_of(call),
        choice=access_choice(call.body),
    )
    return Answer(body=access_resource(subject))


@routes.on(
    "GET",
    _GRANTS,
    query=Page,
    body=NoBody,
    answers={200: GrantList},
    problems=(*READ_PROBLEMS, InvalidCursor),
)
def list_item_grants(call: Call[Page, NoBody]) -> Answer:
    """List the grants on an item itself, for owners."""
    grants = list_grants(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=item_id_of(call),
        is_folder=False,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    return grant_page(call, grants)


def show_item_grant_again(call: Call[Any, Any], grant_id: UUID) -> Answer:
    """Show a grant to who repeats a request about it."""
    grant = read_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=item_id_of(call),
        is_folder=False,
        grant_id=GrantId(grant_id),
    )
    return Answer(body=grant_resource(grant))


@routes.on(
    "POST",
    _GRANTS,
    query=NoQuery,
    body=GrantBody,
    answers={201: GrantResource},
    problems=(*READ_PROBLEMS, InvalidAccess, GrantNotFound),
    show_again=show_item_grant_again,
)
def grant_item(call: Call[NoQuery, GrantBody]) -> Answer:
    """Give a member or a team an action on an item; another one takes the place of the first."""
    member_id, team_id = grantee_of(call.body)
    grant = give_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=item_id_of(call),
        is_folder=False,
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
    problems=(*READ_PROBLEMS, GrantNotFound),
)
def take_item_grant(call: Call[NoQuery, NoBody]) -> Answer:
    """Take a grant on an item away; it ends on the next read."""
    take_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        subject_id=item_id_of(call),
        is_folder=False,
        grant_id=GrantId(call.ids["grant_id"]),
    )
    return Answer(204)
