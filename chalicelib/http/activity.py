"""The activity of an organization and of a workspace, to read and to take along."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from pydantic import AwareDatetime, Field, JsonValue

from chalicelib.audit.list_activity import list_organization_activity, list_workspace_activity, record_export
from chalicelib.audit.model import Activity, ActivityAction, ActivityFilters, Outcome, SubjectKind
from chalicelib.http.cursors import Page, cut_page, read_id_position, write_cursor
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import JSON_LINES, Answer, Call, NoBody, Resource, Routes
from chalicelib.identity.errors import OrganizationNotFound, WorkspaceNotFound
from chalicelib.identity.model import PrincipalKind
from chalicelib.identity.rights import ActionForbidden

routes = Routes("activity")

_OF_ORGANIZATION = "/v1/organizations/{organization_id}/activity"
_OF_WORKSPACE = "/v1/workspaces/{workspace_id}/activity"
_ORGANIZATION_PROBLEMS = (OrganizationNotFound, ActionForbidden, InvalidCursor)
_WORKSPACE_PROBLEMS = (WorkspaceNotFound, ActionForbidden, InvalidCursor)


class ActorResource(Resource):
    """Who did it, as it was called then."""

    id: UUID
    kind: PrincipalKind
    name: str
    api_key_id: UUID | None
    on_behalf_of: UUID | None


class SubjectResource(Resource):
    """What it was done to; a request that was refused has no id."""

    kind: str
    id: UUID | None


class ActivityResource(Resource):
    """One entry: who did what to which thing, when. `actor` is null for drops, the operator and the program itself.

    `before` and `after` are what changed of what is not content; `request_id` ties together what one request did.
    """

    id: UUID
    recorded_at: datetime
    workspace_id: UUID | None
    actor: ActorResource | None
    action: str
    outcome: Outcome
    subject: SubjectResource
    request_id: str | None
    before: Mapping[str, JsonValue] | None
    after: Mapping[str, JsonValue] | None


class ActivityList(Resource):
    """A page of the activity, the latest first."""

    activity: Sequence[ActivityResource]
    next_cursor: str | None


class ActivityQuery(Page):
    """Which entries."""

    actor: UUID | None = Field(None, description="Only of the principal with this id.")
    action: ActivityAction | None = None
    subject_kind: SubjectKind | None = None
    subject: UUID | None = Field(None, description="Only about the thing with this id.")
    outcome: Outcome | None = None
    since: AwareDatetime | None = Field(None, description="From this moment on.")
    until: AwareDatetime | None = Field(None, description="Before this moment.")


class ExportQuery(ActivityQuery):
    """Which entries to take along, in pages that the header `Link` leads through."""

    limit: int = Field(1000, ge=1, le=1000, description="How many entries to answer at most.")


@routes.on(
    "GET",
    _OF_ORGANIZATION,
    query=ActivityQuery,
    body=NoBody,
    answers={200: ActivityList},
    problems=_ORGANIZATION_PROBLEMS,
)
def list_activity_of_organization(call: Call[ActivityQuery, NoBody]) -> Answer:
    """List what was done in the organization and its workspaces, the latest first; for admins."""
    return _page(call, _in_organization(call))


@routes.on(
    "GET",
    _OF_WORKSPACE,
    query=ActivityQuery,
    body=NoBody,
    answers={200: ActivityList},
    problems=_WORKSPACE_PROBLEMS,
)
def list_activity_of_workspace(call: Call[ActivityQuery, NoBody]) -> Answer:
    """List what was done in the workspace, the latest first; for owners."""
    return _page(call, _in_workspace(call))


@routes.on(
    "GET",
    f"{_OF_ORGANIZATION}/export",
    query=ExportQuery,
    body=NoBody,
    answers={200: ActivityResource},
    problems=_ORGANIZATION_PROBLEMS,
    media_type=JSON_LINES,
)
def export_activity_of_organization(call: Call[ExportQuery, NoBody]) -> Answer:
    """Take along what was done in the organization, as JSON Lines; it is recorded."""
    return _export(call, _in_organization(call))


@routes.on(
    "GET",
    f"{_OF_WORKSPACE}/export",
    query=ExportQuery,
    body=NoBody,
    answers={200: ActivityResource},
    problems=_WORKSPACE_PROBLEMS,
    media_type=JSON_LINES,
)
def export_activity_of_workspace(call: Call[ExportQuery, NoBody]) -> Answer:
    """Take along what was done in the workspace, as JSON Lines; it is recorded."""
    return _export(call, _in_workspace(call))


def _in_organization(call: Call[Any, Any]) -> Sequence[Activity]:
    return list_organization_activity(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        filters=_filters(call.query),
        before=read_id_position(call),
        limit=call.query.limit + 1,
    )


def _in_workspace(call: Call[Any, Any]) -> Sequence[Activity]:
    return list_workspace_activity(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        filters=_filters(call.query),
        before=read_id_position(call),
        limit=call.query.limit + 1,
    )


def _filters(query: ActivityQuery) -> ActivityFilters:
    return ActivityFilters(
        actor_id=query.actor,
        action=query.action,
        subject_kind=query.subject_kind,
        subject_id=query.subject,
        outcome=query.outcome,
        since=query.since,
        until=query.until,
    )


def _page(call: Call[ActivityQuery, NoBody], entries: Sequence[Activity]) -> Answer:
    shown, next_cursor = cut_page(call, entries, position_of=_position_of)
    return Answer(body=ActivityList(activity=[_resource(entry) for entry in shown], next_cursor=next_cursor))


def _export(call: Call[ExportQuery, NoBody], entries: Sequence[Activity]) -> Answer:
    lines = _fitting(
        [_resource(entry).model_dump_json() for entry in entries[: call.query.limit]],
        room=call.application.settings.answer_bytes,
    )
    headers = {}
    if len(lines) < len(entries):
        asked = call.query.model_dump(mode="json", exclude_none=True, exclude={"cursor"})
        cursor = write_cursor(call, _position_of(entries[len(lines) - 1]))
        headers["Link"] = f'<?{urlencode({**asked, "cursor": cursor})}>; rel="next"'
    record_export(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id if "workspace_id" in call.ids else None,
        filters=_filters(call.query),
        count=len(lines),
    )
    return Answer(lines=lines, headers=headers)


def _fitting(lines: Sequence[str], *, room: int) -> Sequence[str]:
    """Return as many of the lines as one answer can hold, at least one; there it is a string inside of JSON."""
    taken = 0
    for count, line in enumerate(lines):
        taken += len(json.dumps(f"{line}\n", ensure_ascii=False).encode())
        if room and taken > room and count:
            return lines[:count]
    return lines


def _position_of(entry: Activity) -> Sequence[str]:
    return [str(entry.id)]


def _resource(entry: Activity) -> ActivityResource:
    actor = None
    if entry.actor_id is not None:
        actor = ActorResource(
            id=entry.actor_id,
            kind=PrincipalKind(entry.actor_kind or ""),
            name=entry.actor_name or "",
            api_key_id=entry.api_key_id,
            on_behalf_of=entry.on_behalf_of,
        )
    return ActivityResource(
        id=entry.id,
        recorded_at=entry.recorded_at,
        workspace_id=entry.workspace_id,
        actor=actor,
        action=entry.action,
        outcome=entry.outcome,
        subject=SubjectResource(kind=entry.subject_kind, id=entry.subject_id),
        request_id=entry.request_id,
        before=entry.before,
        after=entry.after,
    )
