"""API keys: one's own, or anyone's in the organization for an admin."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from pydantic import AwareDatetime, Field

from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import (
    ApiKeyNotFound,
    ApiKeyOver,
    InvalidIdentity,
    MemberNotFound,
    OrganizationNotFound,
    WorkspaceNotFound,
)
from chalicelib.identity.manage_api_keys import create_api_key, list_api_keys, revoke_api_key
from chalicelib.identity.model import ApiKey, ApiKeyId, KeyScope, PrincipalId, WorkspaceId
from chalicelib.identity.rights import ActionForbidden
from chalicelib.identity.rotate_api_key import rotate_api_key

routes = Routes("api_keys")

_API_KEYS = "/v1/organizations/{organization_id}/api-keys"
_API_KEY = "/v1/organizations/{organization_id}/api-keys/{api_key_id}"


class ApiKeyResource(Resource):
    """A key without its secret. `workspace_ids` null reaches all workspaces of the member.

    `created_by` is who made it, another than the member where an admin did; null where that one has been removed, or
    the key was made on the server's machine. `rotated_to` is the key that follows it, `rotated_from` the one that it
    follows.
    """

    id: UUID
    member_id: UUID
    name: str
    prefix: str
    scopes: Sequence[KeyScope]
    workspace_ids: Sequence[UUID] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    created_by: UUID | None
    rotated_from: UUID | None
    rotated_to: UUID | None


class IssuedApiKeyResource(ApiKeyResource):
    """A new key with its token, which is shown this once."""

    token: str


class ApiKeyList(Resource):
    """A page of keys, in the order they were made."""

    api_keys: Sequence[ApiKeyResource]
    next_cursor: str | None


class NewApiKey(Body):
    """What a key is made of."""

    name: str
    member_id: UUID | None = Field(None, description="Whose key; by default the caller's own.")
    scopes: Sequence[KeyScope] = Field(default=(KeyScope.READ,), min_length=1, max_length=3)
    workspace_ids: Sequence[UUID] | None = Field(None, min_length=1, max_length=1000)
    expires_at: AwareDatetime | None = None


class KeyRotation(Body):
    """How the old key ends. An empty body rotates with the default."""

    overlap_seconds: int = Field(86_400, ge=0, le=2_592_000, description="How long the old key goes on; 0 ends it now.")


def api_key_resource(api_key: ApiKey) -> ApiKeyResource:
    """Return a key as the API shows it."""
    return ApiKeyResource(
        id=api_key.id,
        member_id=api_key.principal_id,
        name=api_key.name,
        prefix=api_key.prefix,
        scopes=sorted(api_key.scopes),
        workspace_ids=api_key.workspace_ids,
        created_at=api_key.created_at,
        expires_at=api_key.expires_at,
        revoked_at=api_key.revoked_at,
        last_used_at=api_key.last_used_at,
        created_by=api_key.created_by,
        rotated_from=api_key.rotated_from,
        rotated_to=api_key.rotated_to,
    )


def issued_api_key_resource(api_key: ApiKey, token: str) -> IssuedApiKeyResource:
    """Return a new key with its token."""
    return IssuedApiKeyResource(**api_key_resource(api_key).model_dump(), token=token)


@routes.on(
    "GET",
    _API_KEYS,
    query=Page,
    body=NoBody,
    answers={200: ApiKeyList},
    problems=(OrganizationNotFound, ActionForbidden, InvalidCursor),
)
def list_keys(call: Call[Page, NoBody]) -> Answer:
    """List the organization's API keys for an admin, else the caller's own."""
    keys = list_api_keys(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, keys, position_of=lambda key: [str(key.id)])
    return Answer(body=ApiKeyList(api_keys=[api_key_resource(key) for key in shown], next_cursor=next_cursor))


@routes.on(
    "POST",
    _API_KEYS,
    query=NoQuery,
    body=NewApiKey,
    answers={201: IssuedApiKeyResource},
    problems=(OrganizationNotFound, MemberNotFound, WorkspaceNotFound, ActionForbidden, InvalidIdentity),
)
def issue_key(call: Call[NoQuery, NewApiKey]) -> Answer:
    """Make an API key. Its token is in this answer and never again."""
    body = call.body
    issued = create_api_key(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        member_id=call.principal.id if body.member_id is None else PrincipalId(body.member_id),
        name=body.name,
        scopes=frozenset(body.scopes),
        workspace_ids=None if body.workspace_ids is None else [WorkspaceId(entry) for entry in body.workspace_ids],
        expires_at=body.expires_at,
        pepper=call.application.pepper,
        now=call.application.clock.now(),
    )
    return Answer(201, issued_api_key_resource(issued.api_key, issued.token))


@routes.on(
    "POST",
    _API_KEY + "/rotate",
    query=NoQuery,
    body=KeyRotation,
    answers={201: IssuedApiKeyResource},
    problems=(OrganizationNotFound, ApiKeyNotFound, ApiKeyOver, ActionForbidden, InvalidIdentity),
)
def rotate_key(call: Call[NoQuery, KeyRotation]) -> Answer:
    """Make a key that follows another with the same rights. Its token is in this answer and never again."""
    issued = rotate_api_key(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        api_key_id=ApiKeyId(call.ids["api_key_id"]),
        overlap=timedelta(seconds=call.body.overlap_seconds),
        pepper=call.application.pepper,
        now=call.application.clock.now(),
    )
    return Answer(201, issued_api_key_resource(issued.api_key, issued.token))


@routes.on(
    "DELETE",
    _API_KEY,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(OrganizationNotFound, ApiKeyNotFound, ActionForbidden),
)
def revoke_key(call: Call[NoQuery, NoBody]) -> Answer:
    """Revoke an API key at once; revoking it again changes nothing."""
    revoke_api_key(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        api_key_id=ApiKeyId(call.ids["api_key_id"]),
        now=call.application.clock.now(),
    )
    return Answer(204)
