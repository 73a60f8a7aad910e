"""Contexts: whether a workspace has its documents described by a language model, how far that is, what it takes."""

from datetime import datetime
from decimal import Decimal

from pydantic import Field

from chalicelib.embedding_spaces.store import find_choice
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.errors import NoLanguageModel
from chalicelib.index.read_contexts import Means, read_contexts
from chalicelib.index.switch_contexts import switch_contexts

routes = Routes("contexts")

_CONTEXTS = "/v1/workspaces/{workspace_id}/contexts"


class ContextsEstimate(Resource):
    """What describing the rest would take: rather too many tokens than too few. Money is null without a price."""

    input_tokens: int = Field(description="Read by the language model.")
    output_tokens: int = Field(description="Written by the language model.")
    embedded_tokens: int = Field(description="Embedded again, where there is an embedder.")
    money: Decimal | None
    currency: str
    exceeds_budget: bool = Field(description="Whether a budget of this month would not suffice; the rest would wait.")


class ContextsResource(Resource):
    """How far it is, in numbers over all items with text. The summaries themselves are never shown."""

    on: bool
    since: datetime | None
    model: str | None = Field(description="The language model; null where there is none.")
    described: int
    undescribed: int
    failed: int = Field(description="Of which no summary could be had; each has the warning `no_context`.")
    estimate: ContextsEstimate


class ContextsSwitch(Body):
    """Whether documents are to be described."""

    on: bool


@routes.on(
    "GET",
    _CONTEXTS,
    query=NoQuery,
    body=NoBody,
    answers={200: ContextsResource},
    problems=(WorkspaceNotFound, ActionForbidden),
)
def show_contexts(call: Call[NoQuery, NoBody]) -> Answer:
    """Show whether documents are described, how far that is and what the rest would take; for owners."""
    return Answer(body=_resource(call))


@routes.on(
    "PUT",
    _CONTEXTS,
    query=NoQuery,
    body=ContextsSwitch,
    answers={200: ContextsResource},
    problems=(WorkspaceNotFound, ActionForbidden, NoLanguageModel),
)
def put_contexts(call: Call[NoQuery, ContextsSwitch]) -> Answer:
    """Have documents described or no longer, for owners; on again: ask again about those that failed."""
    switch_contexts(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        is_on=call.body.on,
        model=call.application.language_model,
        jobs=call.application.jobs,
    )
    return Answer(body=_resource(call))


def _resource(call: Call[NoQuery, NoBody] | Call[NoQuery, ContextsSwitch]) -> ContextsResource:
    application = call.application
    model = application.language_model
    embedder = application.embedders.active(find_choice(call.tx, call.principal.organization_id))
    means = Means(
        model=model.name if model else None,
        space=embedder.space if embedder else None,
        input_tokens=application.settings.context_tokens,
        prices=application.metering.prices,
        now=application.clock.now(),
    )
    contexts = read_contexts(call.tx, principal=call.principal, workspace_id=call.workspace_id, means=means)
    return ContextsResource(
        on=contexts.since is not None,
        since=contexts.since,
        model=means.model,
        described=contexts.counts.described,
        undescribed=contexts.counts.undescribed,
        failed=contexts.counts.failed,
        estimate=ContextsEstimate.model_validate(contexts.estimate),
    )
