"""Environments: an agent sees the knowledge of its own one alone."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import (
    EnvironmentInUse,
    EnvironmentNotFound,
    EnvironmentTaken,
    InvalidIdentity,
    OrganizationNotFound,
)
from chalicelib.identity.manage_environments import create_environment, delete_environment, list_environments
from chalicelib.identity.model import EnvironmentId
from chalicelib.identity.rights import Action, ActionForbidden, authorize_organization

routes = Routes("environments")

_ENVIRONMENTS = "/v1/organizations/{organization_id}/environments"
_ENVIRONMENT = "/v1/organizations/{organization_id}/environments/{environment_id}"


class EnvironmentResource(Resource):
    """What agents, folders and items can be in instead of the default environment."""

    id: UUID
    slug: str
    created_at: datetime


class EnvironmentList(Resource):
    """Environments by name, without the default one. They are few, so they come in one page."""

    environments: Sequence[EnvironmentResource]
    next_cursor: None = None


class NewEnvironment(Body):
    """What an environment is called."""

    slug: str = Field(description="1 to 63 of a-z, 0-9 and -; unique in the organization, and not `default`.")


@routes.on(
    "GET",
    _ENVIRONMENTS,
    query=NoQuery,
    body=NoBody,
    answers={200: EnvironmentList},
    problems=(OrganizationNotFound, ActionForbidden),
)
def list_organization_environments(call: Call[NoQuery, NoBody]) -> Answer:
    """List the organization's environments, without the default one."""
    found = list_environments(call.tx, principal=call.principal, organization_id=call.organization_id)
    return Answer(body=EnvironmentList(environments=[EnvironmentResource.model_validate(entry) for entry in found]))


def show_environment_again(call: Call[Any, Any], environment_id: UUID) -> Answer:
    """Show an environment to an admin who repeats a request about it."""
    authorize_organization(call.principal, call.organization_id, Action.ADMINISTER)
    found = list_environments(call.tx, principal=call.principal, organization_id=call.organization_id)
    for environment in found:
        if environment.id == environment_id:
            return Answer(body=EnvironmentResource.model_validate(environment))
    raise EnvironmentNotFound("There is no such environment any more.")


@routes.on(
    "POST",
    _ENVIRONMENTS,
    query=NoQuery,
    body=NewEnvironment,
    answers={201: EnvironmentResource},
    problems=(OrganizationNotFound, EnvironmentNotFound, ActionForbidden, EnvironmentTaken, InvalidIdentity),
    show_again=show_environment_again,
)
def add_environment(call: Call[NoQuery, NewEnvironment]) -> Answer:
    """Add an environment to the organization."""
    environment = create_environment(
        call.tx, principal=call.principal, organization_id=call.organization_id, slug=call.body.slug
    )
    return Answer(
        201,
        EnvironmentResource.model_validate(environment),
        headers={"Location": f"/v1/organizations/{call.organization_id}/environments"},
        about=environment.id,
    )


@routes.on(
    "DELETE",
    _ENVIRONMENT,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(OrganizationNotFound, EnvironmentNotFound, ActionForbidden, EnvironmentInUse),
)
def remove_environment(call: Call[NoQuery, NoBody]) -> Answer:
    """Delete an environment that no agent, folder or item is in."""
    delete_environment(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        environment_id=EnvironmentId(call.ids["environment_id"]),
    )
    return Answer(204)
