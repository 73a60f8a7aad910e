"""Knowledge bases: named selections of folders and items that searches look in."""

from typing import Any
from uuid import UUID

from chalicelib.http.cursors import Page, cut_page, read_id_position, read_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.knowledge_base_resources import (
    CountedKnowledgeBaseResource,
    KnowledgeBaseChanges,
    KnowledgeBaseList,
    KnowledgeBaseResource,
    MemberChanges,
    MemberOfBaseList,
    MemberOfBaseResource,
    NamedMembers,
    NewKnowledgeBase,
    counted_resource,
    knowledge_base_resource,
    settings_in,
)
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import InvalidPath, ItemNotFound
from chalicelib.items.model import ItemId, KnowledgeBaseId
from chalicelib.knowledge_bases.change_knowledge_base import change_knowledge_base, delete_knowledge_base
from chalicelib.knowledge_bases.change_members import change_members
from chalicelib.knowledge_bases.create_knowledge_base import create_knowledge_base
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase, KnowledgeBaseNotFound
from chalicelib.knowledge_bases.model import Changes, Members
from chalicelib.knowledge_bases.read_knowledge_bases import list_knowledge_bases, list_members, read_knowledge_base
from chalicelib.sharing.errors import FolderNotFound

routes = Routes("knowledge_bases")

BASES_PATH = "/v1/workspaces/{workspace_id}/knowledge-bases"
BASE_PATH = f"{BASES_PATH}/{{knowledge_base_id}}"
BASE_PROBLEMS = (WorkspaceNotFound, KnowledgeBaseNotFound, ActionForbidden)


def knowledge_base_id_of(call: Call[Any, Any]) -> KnowledgeBaseId:
    """Return the knowledge base that the path names."""
    return KnowledgeBaseId(call.ids["knowledge_base_id"])


@routes.on(
    "GET",
    BASES_PATH,
    query=Page,
    body=NoBody,
    answers={200: KnowledgeBaseList},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidCursor),
)
def list_workspace_knowledge_bases(call: Call[Page, NoBody]) -> Answer:
    """List the knowledge bases that the caller sees."""
    found = list_knowledge_bases(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, found, position_of=lambda knowledge_base: [str(knowledge_base.id)])
    return Answer(
        body=KnowledgeBaseList(
            knowledge_bases=[knowledge_base_resource(each) for each in shown], next_cursor=next_cursor
        )
    )


def show_knowledge_base_again(call: Call[Any, Any], knowledge_base_id: UUID) -> Answer:
    """Show a knowledge base to who repeats a request about it."""
    found, _ = read_knowledge_base(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=KnowledgeBaseId(knowledge_base_id),
    )
    return Answer(body=knowledge_base_resource(found))


@routes.on(
    "POST",
    BASES_PATH,
    query=NoQuery,
    body=NewKnowledgeBase,
    answers={201: KnowledgeBaseResource},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidKnowledgeBase),
    show_again=show_knowledge_base_again,
)
def add_knowledge_base(call: Call[NoQuery, NewKnowledgeBase]) -> Answer:
    """Make a knowledge base; owners alone open one to the organization."""
    made = create_knowledge_base(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        name=call.body.name,
        description=call.body.description,
        visibility=call.body.visibility,
        settings=settings_in(call.body.settings),
    )
    location = f"/v1/workspaces/{call.workspace_id}/knowledge-bases/{made.id}"
    return Answer(201, knowledge_base_resource(made), headers={"Location": location}, about=made.id)


@routes.on(
    "GET",
    BASE_PATH,
    query=NoQuery,
    body=NoBody,
    answers={200: CountedKnowledgeBaseResource},
    problems=BASE_PROBLEMS,
)
def show_knowledge_base(call: Call[NoQuery, NoBody]) -> Answer:
    """Show a knowledge base, and how many items in it the caller may read."""
    found, items = read_knowledge_base(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
    )
    return Answer(body=counted_resource(found, items))


@routes.on(
    "PATCH",
    BASE_PATH,
    query=NoQuery,
    body=KnowledgeBaseChanges,
    answers={200: KnowledgeBaseResource},
    problems=(*BASE_PROBLEMS, InvalidKnowledgeBase),
)
def update_knowledge_base(call: Call[NoQuery, KnowledgeBaseChanges]) -> Answer:
    """Change a knowledge base, as who made it or an owner."""
    body = call.body
    changed = change_knowledge_base(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        changes=Changes(
            name=body.name,
            description=body.description,
            visibility=body.visibility,
            settings=None if body.settings is None else settings_in(body.settings),
        ),
    )
    return Answer(body=knowledge_base_resource(changed))


@routes.on("DELETE", BASE_PATH, query=NoQuery, body=NoBody, answers={204: None}, problems=BASE_PROBLEMS)
def remove_knowledge_base(call: Call[NoQuery, NoBody]) -> Answer:
    """Delete a knowledge base for good; what is in it stays where it is."""
    delete_knowledge_base(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
    )
    return Answer(204)


@routes.on(
    "GET",
    f"{BASE_PATH}/members",
    query=Page,
    body=NoBody,
    answers={200: MemberOfBaseList},
    problems=(*BASE_PROBLEMS, InvalidCursor),
)
def list_knowledge_base_members(call: Call[Page, NoBody]) -> Answer:
    """List the folders and items in a knowledge base of which the caller may read something."""
    position = read_position(call)
    members = list_members(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        after=None if position is None else (str(position[0]), str(position[1])),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, members, position_of=lambda member: [str(member.kind), member.path])
    resources = [MemberOfBaseResource.model_validate(member) for member in shown]
    return Answer(body=MemberOfBaseList(members=resources, next_cursor=next_cursor))


@routes.on(
    "PATCH",
    f"{BASE_PATH}/members",
    query=NoQuery,
    body=MemberChanges,
    answers={200: CountedKnowledgeBaseResource},
    problems=(*BASE_PROBLEMS, ItemNotFound, FolderNotFound, InvalidPath, InvalidKnowledgeBase),
)
def change_knowledge_base_members(call: Call[NoQuery, MemberChanges]) -> Answer:
    """Put folders and items into a knowledge base, or take them out: all of it or nothing."""
    change_members(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        add=_members(call.body.add),
        remove=_members(call.body.remove),
    )
    found, items = read_knowledge_base(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
    )
    return Answer(body=counted_resource(found, items))


def _members(named: NamedMembers) -> Members:
    return Members(folders=named.folders, items=[ItemId(item_id) for item_id in named.items])
