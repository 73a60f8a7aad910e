"""Teams: named groups of users, whom folders, items and knowledge bases are opened to together."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import (
    InvalidIdentity,
    MemberNotFound,
    OrganizationNotFound,
    TeamNameTaken,
    TeamNotFound,
)
from chalicelib.identity.manage_teams import (
    add_team_member,
    create_team,
    delete_team,
    list_team_members,
    list_teams,
    read_team,
    remove_team_member,
    rename_team,
)
from chalicelib.identity.model import PrincipalId, TeamId
from chalicelib.identity.rights import Action, ActionForbidden, authorize_organization

routes = Routes("teams")

_TEAMS = "/v1/organizations/{organization_id}/teams"
_TEAM = "/v1/organizations/{organization_id}/teams/{team_id}"
_TEAM_MEMBERS = "/v1/organizations/{organization_id}/teams/{team_id}/members"
_TEAM_MEMBER = "/v1/organizations/{organization_id}/teams/{team_id}/members/{member_id}"


class TeamResource(Resource):
    """A named group of users."""

    id: UUID
    name: str
    created_at: datetime


class TeamList(Resource):
    """A page of teams, in the order they were made."""

    teams: Sequence[TeamResource]
    next_cursor: str | None


class TeamMemberResource(Resource):
    """A user in a team, since `created_at`."""

    id: UUID
    name: str
    email: str | None
    created_at: datetime


class TeamMemberList(Resource):
    """A page of a team's users, in the order they became members of the organization."""

    members: Sequence[TeamMemberResource]
    next_cursor: str | None


class TeamName(Body):
    """What the team is called; unique in the organization, whatever the case."""

    name: str


@routes.on(
    "GET",
    _TEAMS,
    query=Page,
    body=NoBody,
    answers={200: TeamList},
    problems=(OrganizationNotFound, ActionForbidden, InvalidCursor),
)
def list_organization_teams(call: Call[Page, NoBody]) -> Answer:
    """List the organization's teams for an admin, else those that the caller is in."""
    teams = list_teams(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, teams, position_of=lambda team: [str(team.id)])
    return Answer(body=TeamList(teams=[TeamResource.model_validate(team) for team in shown], next_cursor=next_cursor))


def show_team_again(call: Call[Any, Any], team_id: UUID) -> Answer:
    """Show a team to an admin who repeats a request about it."""
    authorize_organization(call.principal, call.organization_id, Action.ADMINISTER)
    return _shown(call, TeamId(team_id))


@routes.on(
    "POST",
    _TEAMS,
    query=NoQuery,
    body=TeamName,
    answers={201: TeamResource},
    problems=(OrganizationNotFound, TeamNotFound, ActionForbidden, TeamNameTaken, InvalidIdentity),
    show_again=show_team_again,
)
def add_team(call: Call[NoQuery, TeamName]) -> Answer:
    """Add a team to the organization."""
    team = create_team(call.tx, principal=call.principal, organization_id=call.organization_id, name=call.body.name)
    location = f"/v1/organizations/{call.organization_id}/teams/{team.id}"
    return Answer(201, TeamResource.model_validate(team), headers={"Location": location}, about=team.id)


@routes.on(
    "GET",
    _TEAM,
    query=NoQuery,
    body=NoBody,
    answers={200: TeamResource},
    problems=(OrganizationNotFound, TeamNotFound, ActionForbidden),
)
def show_team(call: Call[NoQuery, NoBody]) -> Answer:
    """Show a team: any for an admin, else one that the caller is in."""
    return _shown(call, _team_id(call))


@routes.on(
    "PATCH",
    _TEAM,
    query=NoQuery,
    body=TeamName,
    answers={200: TeamResource},
    problems=(OrganizationNotFound, TeamNotFound, ActionForbidden, TeamNameTaken, InvalidIdentity),
)
def change_team(call: Call[NoQuery, TeamName]) -> Answer:
    """Rename a team."""
    team = rename_team(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        team_id=_team_id(call),
        name=call.body.name,
    )
    return Answer(body=TeamResource.model_validate(team))


@routes.on(
    "DELETE",
    _TEAM,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(OrganizationNotFound, TeamNotFound, ActionForbidden),
)
def remove_team(call: Call[NoQuery, NoBody]) -> Answer:
    """Delete a team with its grants; its users stay members of the organization."""
    delete_team(call.tx, principal=call.principal, organization_id=call.organization_id, team_id=_team_id(call))
    return Answer(204)


@routes.on(
    "GET",
    _TEAM_MEMBERS,
    query=Page,
    body=NoBody,
    answers={200: TeamMemberList},
    problems=(OrganizationNotFound, TeamNotFound, ActionForbidden, InvalidCursor),
)
def list_users_of_team(call: Call[Page, NoBody]) -> Answer:
    """List the users of a team."""
    members = list_team_members(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        team_id=_team_id(call),
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, members, position_of=lambda member: [str(member.id)])
    resources = [TeamMemberResource.model_validate(member) for member in shown]
    return Answer(body=TeamMemberList(members=resources, next_cursor=next_cursor))


@routes.on(
    "PUT",
    _TEAM_MEMBER,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(OrganizationNotFound, TeamNotFound, MemberNotFound, ActionForbidden, InvalidIdentity),
)
def join_team(call: Call[NoQuery, NoBody]) -> Answer:
    """Put a user into a team; doing it again changes nothing."""
    add_team_member(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        team_id=_team_id(call),
        member_id=PrincipalId(call.ids["member_id"]),
    )
    return Answer(204)


@routes.on(
    "DELETE",
    _TEAM_MEMBER,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(OrganizationNotFound, TeamNotFound, MemberNotFound, ActionForbidden),
)
def leave_team(call: Call[NoQuery, NoBody]) -> Answer:
    """Take a user out of a team; it works on the user's next request."""
    remove_team_member(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        team_id=_team_id(call),
        member_id=PrincipalId(call.ids["member_id"]),
    )
    return Answer(204)


def _team_id(call: Call[Any, Any]) -> TeamId:
    return TeamId(call.ids["team_id"])


def _shown(call: Call[Any, Any], team_id: TeamId) -> Answer:
    team = read_team(call.tx, principal=call.principal, organization_id=call.organization_id, team_id=team_id)
    return Answer(body=TeamResource.model_validate(team))
