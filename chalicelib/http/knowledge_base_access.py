"""Who else sees a knowledge base or changes what is in it: agents that it is assigned to, and grants."""

from typing import Any
from uuid import UUID

from chalicelib.access.model import GrantId
from chalicelib.http.access_resources import GrantBody, GrantList, GrantResource, grant_page, grant_resource, grantee_of
from chalicelib.http.cursors import Page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.knowledge_base_resources import AgentList
from chalicelib.http.knowledge_bases import BASE_PATH, BASE_PROBLEMS, knowledge_base_id_of
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Routes
from chalicelib.identity.errors import MemberNotFound
from chalicelib.identity.model import PrincipalId
from chalicelib.knowledge_bases.assign_agents import assign_agent, list_agents, unassign_agent
from chalicelib.knowledge_bases.manage_knowledge_base_grants import (
    give_base_grant,
    list_base_grants,
    read_base_grant,
    take_base_grant,
)
from chalicelib.sharing.errors import GrantNotFound, InvalidAccess

routes = Routes("knowledge_base_access")

_AGENTS = f"{BASE_PATH}/agents"
_AGENT = f"{BASE_PATH}/agents/{{member_id}}"
_GRANTS = f"{BASE_PATH}/grants"
_GRANT = f"{BASE_PATH}/grants/{{grant_id}}"


@routes.on("GET", _AGENTS, query=NoQuery, body=NoBody, answers={200: AgentList}, problems=BASE_PROBLEMS)
def list_knowledge_base_agents(call: Call[NoQuery, NoBody]) -> Answer:
    """List the agents that a knowledge base is assigned to, for who may change it."""
    agents = list_agents(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
    )
    return Answer(body=AgentList(agents=agents))


@routes.on(
    "PUT",
    _AGENT,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(*BASE_PROBLEMS, MemberNotFound),
)
def assign_knowledge_base(call: Call[NoQuery, NoBody]) -> Answer:
    """Assign a knowledge base to an agent, which reads in it what it may read anyway."""
    assign_agent(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        agent_id=PrincipalId(call.ids["member_id"]),
    )
    return Answer(204)


@routes.on("DELETE", _AGENT, query=NoQuery, body=NoBody, answers={204: None}, problems=BASE_PROBLEMS)
def unassign_knowledge_base(call: Call[NoQuery, NoBody]) -> Answer:
    """Assign a knowledge base to an agent no longer."""
    unassign_agent(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        agent_id=PrincipalId(call.ids["member_id"]),
    )
    return Answer(204)


@routes.on("GET", _GRANTS, query=Page, body=NoBody, answers={200: GrantList}, problems=(*BASE_PROBLEMS, InvalidCursor))
def list_knowledge_base_grants(call: Call[Page, NoBody]) -> Answer:
    """List the grants on a knowledge base, for owners."""
    grants = list_base_grants(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    return grant_page(call, grants)


def show_knowledge_base_grant_again(call: Call[Any, Any], grant_id: UUID) -> Answer:
    """Show a grant to who repeats a request about it."""
    grant = read_base_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        grant_id=GrantId(grant_id),
    )
    return Answer(body=grant_resource(grant))


@routes.on(
    "POST",
    _GRANTS,
    query=NoQuery,
    body=GrantBody,
    answers={201: GrantResource},
    problems=(*BASE_PROBLEMS, InvalidAccess, GrantNotFound),
    show_again=show_knowledge_base_grant_again,
)
def grant_knowledge_base(call: Call[NoQuery, GrantBody]) -> Answer:
    """Let a member or a team see and search a knowledge base, or change what is in it."""
    member_id, team_id = grantee_of(call.body)
    grant = give_base_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        action=call.body.action,
        member_id=member_id,
        team_id=team_id,
    )
    return Answer(201, grant_resource(grant), about=grant.id)


@routes.on("DELETE", _GRANT, query=NoQuery, body=NoBody, answers={204: None}, problems=(*BASE_PROBLEMS, GrantNotFound))
def take_knowledge_base_grant(call: Call[NoQuery, NoBody]) -> Answer:
    """Take a grant on a knowledge base away; it ends on the next read."""
    take_base_grant(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        knowledge_base_id=knowledge_base_id_of(call),
        grant_id=GrantId(call.ids["grant_id"]),
    )
    return Answer(204)
