"""What is said about who may read, as the API takes and shows it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import Field

from chalicelib.access.model import AccessSettings, AudienceKind, GrantAction
from chalicelib.http.cursors import Page, cut_page
from chalicelib.http.routing import Answer, Body, Call, NoBody, Resource
from chalicelib.identity.model import PrincipalId, PrincipalKind, TeamId
from chalicelib.sharing.change_access import NAMED
from chalicelib.sharing.model import AccessChoice, AudienceChoice, Grant, Subject


class AudienceBody(Body):
    """Whom an audience names: `team_ids` where the kind is teams, `member_ids` where it is named, else nobody."""

    kind: AudienceKind
    team_ids: Sequence[UUID] = Field((), max_length=NAMED)
    member_ids: Sequence[UUID] = Field((), max_length=NAMED)


class AccessBody(Body):
    """All that is to be said, in place of what was said before; what is left out is said no more.

    `audience` null is that of the folder above. `inherits` false drops all that was said further up. `is_restricted`
    leaves owners, who made the item, and whom grants name. `environment` null is that of the folder above.
    """

    audience: AudienceBody | None = None
    inherits: bool = True
    is_restricted: bool = False
    environment: str | None = Field(None, max_length=63)


class AudienceResource(Resource):
    """Whom an audience names."""

    kind: AudienceKind
    team_ids: Sequence[UUID]
    member_ids: Sequence[UUID]


class AccessResource(Resource):
    """What is said about a folder or an item itself."""

    audience: AudienceResource | None
    inherits: bool
    is_restricted: bool
    environment: str | None


class GrantBody(Body):
    """Whom to give what: one member or one team. Writing includes reading."""

    action: GrantAction
    member_id: UUID | None = None
    team_id: UUID | None = None


class GrantResource(Resource):
    """One member or team being given one action."""

    id: UUID
    action: GrantAction
    member_id: UUID | None
    team_id: UUID | None
    granted_by: UUID | None
    granted_at: datetime


class GrantList(Resource):
    """A page of grants, in the order they were given."""

    grants: Sequence[GrantResource]
    next_cursor: str | None


def access_choice(body: AccessBody) -> AccessChoice:
    """Return what a body says."""
    audience = body.audience
    return AccessChoice(
        audience=None
        if audience is None
        else AudienceChoice(
            audience.kind,
            frozenset(TeamId(team_id) for team_id in audience.team_ids),
            frozenset(PrincipalId(member_id) for member_id in audience.member_ids),
        ),
        inherits=body.inherits,
        is_restricted=body.is_restricted,
        environment=body.environment,
    )


def access_resource(subject: Subject) -> AccessResource:
    """Return what is said about a folder or an item as the API shows it."""
    settings = subject.settings
    return AccessResource(
        audience=None if settings.audience_kind is None else _audience_resource(settings, settings.audience_kind),
        inherits=settings.inherits,
        is_restricted=settings.is_restricted,
        environment=settings.environment,
    )


def grant_resource(grant: Grant) -> GrantResource:
    """Return a grant as the API shows it."""
    return GrantResource.model_validate(grant)


def grant_page(call: Call[Page, NoBody], grants: Sequence[Grant]) -> Answer:
    """Answer a page of grants, which are in order of their ids and one more than the limit where there are more."""
    shown, next_cursor = cut_page(call, grants, position_of=lambda grant: [str(grant.id)])
    return Answer(body=GrantList(grants=[grant_resource(grant) for grant in shown], next_cursor=next_cursor))


def grantee_of(body: GrantBody) -> tuple[PrincipalId | None, TeamId | None]:
    """Return the member and the team that a body names."""
    return (
        None if body.member_id is None else PrincipalId(body.member_id),
        None if body.team_id is None else TeamId(body.team_id),
    )


def _audience_resource(settings: AccessSettings, kind: AudienceKind) -> AudienceResource:
    return AudienceResource(
        kind=kind,
        team_ids=_ids_in(settings, "team"),
        member_ids=[member_id for member_kind in PrincipalKind for member_id in _ids_in(settings, member_kind)],
    )


def _ids_in(settings: AccessSettings, kind: str) -> Sequence[UUID]:
    tokens = sorted(token for token in settings.audience or () if token.startswith(f"{kind}:"))
    return [UUID(token.partition(":")[2]) for token in tokens]
