"""How far a workspace's knowledge is searchable, and what went wrong where."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from chalicelib.embedding_spaces.read_choice import read_choice
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import Action, ActionForbidden, is_allowed
from chalicelib.intake.model import UploadState
from chalicelib.intake.read_coverage import read_coverage
from chalicelib.items.model import IndexState
from chalicelib.jobs.model import JobState
from chalicelib.jobs.store import count_jobs

routes = Routes("status")

_SHOWN_JOBS = (JobState.WAITING, JobState.RUNNING, JobState.DEAD)


class FailureExampleResource(Resource):
    """One thing that failed; what is not null is what to retry."""

    path: str
    detail: str
    item_id: UUID | None
    upload_id: UUID | None


class FailureResource(Resource):
    """All that failed for one reason, with the most recent examples."""

    type: str
    title: str
    count: int
    examples: Sequence[FailureExampleResource]


class WaitResource(Resource):
    """Items found by their words so far, and by meaning once what they wait for has come. `detail` says what helps."""

    type: str
    title: str
    detail: str
    count: int


class BlankItemResource(Resource):
    """A document that holds no text."""

    path: str
    item_id: UUID


class WithoutTextResource(Resource):
    """The documents that hold no text, such as scans: no failures, and nothing to retry. `detail` says what helps."""

    count: int
    detail: str
    examples: Sequence[BlankItemResource]


class UseResource(Resource):
    """How much of a limit is used."""

    used: int
    limit: int


class StatusResource(Resource):
    """Readable items and uploads by state, failures and waits by reason, and what holds no text.

    What is counted of the workspace as a whole would tell how much is kept from the asker: `jobs` is empty but
    for those who may operate them, `usage` but for those who may write. Where `embedding_space` is null search goes by
    words alone; `missing_embedding_space` is then the one whose embedder is not offered here any more.
    `better_embedding_space` is the deployment's default where the organization has another one.
    """

    items: Mapping[IndexState, int]
    uploads: Mapping[UploadState, int]
    failures: Sequence[FailureResource]
    waits: Sequence[WaitResource]
    without_text: WithoutTextResource
    jobs: Mapping[JobState, int]
    usage: Mapping[str, UseResource]
    embedding_space: str | None
    missing_embedding_space: str | None
    better_embedding_space: str | None


@routes.on(
    "GET",
    "/v1/workspaces/{workspace_id}/status",
    query=NoQuery,
    body=NoBody,
    answers={200: StatusResource},
    problems=(WorkspaceNotFound, ActionForbidden),
)
def show_status(call: Call[NoQuery, NoBody]) -> Answer:
    """Show how far the workspace is searchable, and what failed."""
    coverage = read_coverage(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        quotas=call.application.item_rules.quotas,
    )
    may_operate = is_allowed(call.principal, call.workspace_id, Action.OPERATE)
    may_write = is_allowed(call.principal, call.workspace_id, Action.WRITE)
    jobs = count_jobs(call.tx, workspace_id=call.workspace_id) if may_operate else {}
    embedders = call.application.embedders
    shown = read_choice(
        call.tx, principal=call.principal, organization_id=call.principal.organization_id, embedders=embedders
    )
    embedder = embedders.active(shown.choice)
    return Answer(
        body=StatusResource(
            items={state: coverage.items.get(state, 0) for state in IndexState},
            uploads={state: coverage.uploads.get(state, 0) for state in UploadState},
            failures=[
                FailureResource(
                    type=f"urn:lorebase:problem:{failure.type}",
                    title=failure.title,
                    count=failure.count,
                    examples=[FailureExampleResource.model_validate(example) for example in failure.examples],
                )
                for failure in coverage.failures
            ],
            waits=[
                WaitResource(
                    type=f"urn:lorebase:problem:{wait.type}", title=wait.title, detail=wait.detail, count=wait.count
                )
                for wait in coverage.waits
            ],
            without_text=WithoutTextResource(
                count=coverage.without_text.count,
                detail=coverage.without_text.detail,
                examples=[BlankItemResource(path=path, item_id=id_) for id_, path in coverage.without_text.examples],
            ),
            jobs={state: jobs.get(state, 0) for state in _SHOWN_JOBS if may_operate},
            usage={name: UseResource.model_validate(use) for name, use in coverage.usage.items() if may_write},
            embedding_space=None if embedder is None else embedder.space,
            missing_embedding_space=shown.choice.active if embedder is None else None,
            better_embedding_space=shown.better,
        )
    )
