"""Indexing a workspace again after the analysis, the chunker or the size of chunks has changed."""

from typing import Any
from uuid import UUID

from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.makes import makes_of
from chalicelib.index.reindex_workspace import read_reindexing, start_reindexing

routes = Routes("reindexing")

_REINDEXING = "/v1/workspaces/{workspace_id}/reindexing"
_PROBLEMS = (WorkspaceNotFound, ActionForbidden)


class ReindexingResource(Resource):
    """How many items are in search, and how many of them were indexed by something else than the server would now."""

    items: int
    stale: int
    failed: int
    is_running: bool


@routes.on("GET", _REINDEXING, query=NoQuery, body=NoBody, answers={200: ReindexingResource}, problems=_PROBLEMS)
def show_reindexing(call: Call[NoQuery, NoBody]) -> Answer:
    """Show how much of the workspace was indexed by another analysis, chunker or chunk size."""
    found = read_reindexing(call.tx, principal=call.principal, workspace_id=call.workspace_id, makes=_makes(call))
    return Answer(body=ReindexingResource.model_validate(found))


def show_reindexing_again(call: Call[Any, Any], _workspace_id: UUID) -> Answer:
    """Show it to who repeats the request."""
    return show_reindexing(call)


@routes.on(
    "POST",
    _REINDEXING,
    query=NoQuery,
    body=NoBody,
    answers={202: ReindexingResource},
    problems=_PROBLEMS,
    show_again=show_reindexing_again,
)
def reindex_stale_items(call: Call[NoQuery, NoBody]) -> Answer:
    """Index the stale items again; searches see what is there until then."""
    found = start_reindexing(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        makes=_makes(call),
        jobs=call.application.jobs,
    )
    return Answer(202, ReindexingResource.model_validate(found), about=call.workspace_id)


def _makes(call: Call[Any, Any]) -> str:
    settings = call.application.settings
    return makes_of(chunk_tokens=settings.chunk_tokens, overlap_tokens=settings.chunk_overlap)
