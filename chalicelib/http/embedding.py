"""Embedding spaces of an organization: which one it searches in, and the change to another."""

from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.embedding_spaces.errors import (
    EmbeddingChangeNotFound,
    EmbeddingChangeNotReady,
    EmbeddingChangeRunning,
    EmbeddingSpaceChosen,
    EmbeddingSpaceUnknown,
    FormerSpaceNotFound,
)
from chalicelib.embedding_spaces.read_choice import estimate_change, read_choice
from chalicelib.embedding_spaces.start_change import start_change
from chalicelib.embedding_spaces.swap_spaces import cancel_change, forget_former, roll_back, swap_to_filled
from chalicelib.http.embedding_resources import (
    ComparisonBody,
    ComparisonResource,
    EmbeddingChangeBody,
    EmbeddingResource,
    EstimateResource,
    embedding_resource,
    estimate_resource,
)
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Query, Routes
from chalicelib.identity.errors import OrganizationNotFound, WorkspaceNotFound
from chalicelib.identity.model import WorkspaceId
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.model import ItemId
from chalicelib.search.compare_spaces import KnownQuestion, compare_spaces
from chalicelib.usage.model import Purpose

routes = Routes("embedding")

_EMBEDDING = "/v1/organizations/{organization_id}/embedding"
_PROBLEMS = (OrganizationNotFound, ActionForbidden)


class EstimateQuery(Query):
    """Of which change."""

    space: str = Field(max_length=200)


@routes.on("GET", _EMBEDDING, query=NoQuery, body=NoBody, answers={200: EmbeddingResource}, problems=_PROBLEMS)
def show_embedding(call: Call[NoQuery, NoBody]) -> Answer:
    """Show the organization's embedding spaces, those on offer, and how far a change is."""
    return Answer(body=_shown(call))


@routes.on(
    "GET",
    f"{_EMBEDDING}/estimate",
    query=EstimateQuery,
    body=NoBody,
    answers={200: EstimateResource},
    problems=(*_PROBLEMS, EmbeddingSpaceUnknown, EmbeddingSpaceChosen, EmbeddingChangeRunning),
)
def estimate_embedding_change(call: Call[EstimateQuery, NoBody]) -> Answer:
    """Say what a change to another space would take."""
    estimate = estimate_change(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        space=call.query.space,
        embedders=call.application.embedders,
        prices=call.application.metering.prices,
        now=call.application.clock.now(),
    )
    return Answer(body=estimate_resource(estimate))


def show_embedding_again(call: Call[Any, Any], _organization_id: UUID) -> Answer:
    """Show the spaces to who repeats a request about them."""
    return Answer(body=_shown(call))


@routes.on(
    "POST",
    f"{_EMBEDDING}/changes",
    query=NoQuery,
    body=EmbeddingChangeBody,
    answers={202: EmbeddingResource},
    problems=(*_PROBLEMS, EmbeddingSpaceUnknown, EmbeddingSpaceChosen, EmbeddingChangeRunning),
    show_again=show_embedding_again,
)
def start_embedding_change(call: Call[NoQuery, EmbeddingChangeBody]) -> Answer:
    """Fill another space beside the active one, which goes on to be searched; one that is blocked goes on."""
    start_change(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        space=call.body.space,
        embedders=call.application.embedders,
        jobs=call.application.jobs,
    )
    return Answer(202, _shown(call), about=call.organization_id)


@routes.on(
    "DELETE",
    f"{_EMBEDDING}/changes/current",
    query=NoQuery,
    body=NoBody,
    answers={200: EmbeddingResource},
    problems=(*_PROBLEMS, EmbeddingChangeNotFound),
)
def cancel_embedding_change(call: Call[NoQuery, NoBody]) -> Answer:
    """Give up the change that is under way; the vectors that it made are deleted."""
    cancel_change(call.tx, principal=call.principal, organization_id=call.organization_id, jobs=call.application.jobs)
    return Answer(body=_shown(call))


@routes.on(
    "POST",
    f"{_EMBEDDING}/swap",
    query=NoQuery,
    body=NoBody,
    answers={200: EmbeddingResource},
    problems=(*_PROBLEMS, EmbeddingChangeNotFound, EmbeddingChangeNotReady, EmbeddingSpaceUnknown),
    show_again=show_embedding_again,
)
def swap_embedding_spaces(call: Call[NoQuery, NoBody]) -> Answer:
    """Search in the space that was filled from the next request on; the one before is kept."""
    swap_to_filled(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        embedders=call.application.embedders,
        jobs=call.application.jobs,
    )
    return Answer(body=_shown(call), about=call.organization_id)


@routes.on(
    "POST",
    f"{_EMBEDDING}/rollback",
    query=NoQuery,
    body=NoBody,
    answers={200: EmbeddingResource},
    problems=(*_PROBLEMS, FormerSpaceNotFound, EmbeddingChangeRunning, EmbeddingSpaceUnknown),
    show_again=show_embedding_again,
)
def roll_back_embedding_space(call: Call[NoQuery, NoBody]) -> Answer:
    """Search in the former space again from the next request on."""
    roll_back(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        embedders=call.application.embedders,
        jobs=call.application.jobs,
    )
    return Answer(body=_shown(call), about=call.organization_id)


@routes.on(
    "DELETE",
    f"{_EMBEDDING}/former",
    query=NoQuery,
    body=NoBody,
    answers={200: EmbeddingResource},
    problems=(*_PROBLEMS, FormerSpaceNotFound),
)
def forget_former_space(call: Call[NoQuery, NoBody]) -> Answer:
    """Keep the former space no longer; its vectors are deleted."""
    forget_former(call.tx, principal=call.principal, organization_id=call.organization_id, jobs=call.application.jobs)
    return Answer(body=_shown(call))


@routes.on(
    "POST",
    f"{_EMBEDDING}/compare",
    query=NoQuery,
    body=ComparisonBody,
    answers={200: ComparisonResource},
    problems=(*_PROBLEMS, WorkspaceNotFound, EmbeddingChangeNotFound, EmbeddingSpaceUnknown),
    is_safe=True,
    is_transaction=False,
)
def compare_embedding_spaces(call: Call[NoQuery, ComparisonBody]) -> Answer:
    """Ask the same questions in the active space and in the one that is filled, or the former one."""
    workspace_id = WorkspaceId(call.body.workspace_id)
    account = call.application.metering.account(Purpose.CHANGE_OF_SPACE, workspace_id=workspace_id)
    comparison = compare_spaces(
        database=call.application.database,
        principal=call.principal,
        organization_id=call.organization_id,
        workspace_id=workspace_id,
        questions=[
            KnownQuestion(question.query, None if question.item_id is None else ItemId(question.item_id))
            for question in call.body.questions
        ],
        embedders=call.application.embedders.metered(account),
    )
    return Answer(body=ComparisonResource.model_validate(comparison))


def _shown(call: Call[Any, Any]) -> EmbeddingResource:
    embedders = call.application.embedders
    shown = read_choice(call.tx, principal=call.principal, organization_id=call.organization_id, embedders=embedders)
    return embedding_resource(shown, embedders)
