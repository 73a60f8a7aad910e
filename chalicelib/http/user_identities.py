"""Which member a subject of an identity provider is, and what would become of a token."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import Field

from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import MemberNotFound, OrganizationNotFound
from chalicelib.identity.model import PrincipalId
from chalicelib.identity.oidc.errors import IdentityProviderNotFound
from chalicelib.identity.oidc.manage_providers import forget_user_identity, list_user_identities
from chalicelib.identity.oidc.model import IdentityProviderId, KnownBy, UserIdentity
from chalicelib.identity.oidc.try_token import try_token
from chalicelib.identity.rights import ActionForbidden

routes = Routes("user_identities")

_MEMBERS = "/v1/organizations/{organization_id}/identity-providers/{provider_id}/members"
_MEMBER = "/v1/organizations/{organization_id}/identity-providers/{provider_id}/members/{member_id}"
_TOKEN_TEST = "/v1/organizations/{organization_id}/identity-providers/{provider_id}/token-test"  # noqa: S105 - a path
_PROBLEMS = (OrganizationNotFound, ActionForbidden, IdentityProviderNotFound)


class TokenToTest(Body):
    """A token of the issuer."""

    token: str = Field(max_length=20_000)


class VerdictResource(Resource):
    """What would become of a token. `known_by` is null for a subject that is known already.

    `member_id` is null where a new member would be made, and where the token would be refused.
    """

    accepted: bool
    reason: str | None
    subject: str | None
    verified_email: str | None
    member_id: UUID | None
    known_by: KnownBy | None


class UserIdentityResource(Resource):
    """Which member a subject of the issuer is, and how it came to be known."""

    member_id: UUID
    subject: str
    known_by: KnownBy
    created_at: datetime
    last_used_at: datetime | None


class UserIdentityList(Resource):
    """A page of subjects, in order of the members' ids."""

    members: Sequence[UserIdentityResource]
    next_cursor: str | None


@routes.on(
    "GET",
    _MEMBERS,
    query=Page,
    body=NoBody,
    answers={200: UserIdentityList},
    problems=(*_PROBLEMS, InvalidCursor),
)
def list_identified_members(call: Call[Page, NoBody]) -> Answer:
    """List which members an issuer's subjects are."""
    identities = list_user_identities(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        provider_id=IdentityProviderId(call.ids["provider_id"]),
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, identities, position_of=lambda identity: [str(identity.principal_id)])
    return Answer(body=UserIdentityList(members=[_identity_resource(each) for each in shown], next_cursor=next_cursor))


@routes.on(
    "DELETE",
    _MEMBER,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(*_PROBLEMS, MemberNotFound),
)
def forget_identified_member(call: Call[NoQuery, NoBody]) -> Answer:
    """Forget which of an issuer's subjects a member is; the member stays, and the next token tells anew."""
    forget_user_identity(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        provider_id=IdentityProviderId(call.ids["provider_id"]),
        member_id=PrincipalId(call.ids["member_id"]),
    )
    return Answer(204)


@routes.on(
    "POST",
    _TOKEN_TEST,
    query=NoQuery,
    body=TokenToTest,
    answers={200: VerdictResource},
    problems=_PROBLEMS,
    is_safe=True,
    is_transaction=False,
)
def try_identity_token(call: Call[NoQuery, TokenToTest]) -> Answer:
    """Tell whether a token would be taken and for whom, or why not; nothing is changed."""
    verdict = try_token(
        call.application.database,
        principal=call.principal,
        organization_id=call.organization_id,
        provider_id=IdentityProviderId(call.ids["provider_id"]),
        text=call.body.token,
        issuers=call.application.issuers,
        now=call.application.clock.now(),
    )
    return Answer(
        body=VerdictResource(
            accepted=verdict.is_accepted,
            reason=verdict.reason,
            subject=verdict.subject,
            verified_email=verdict.verified_email,
            member_id=verdict.principal_id,
            known_by=verdict.known_by,
        )
    )


def _identity_resource(identity: UserIdentity) -> UserIdentityResource:
    return UserIdentityResource(
        member_id=identity.principal_id,
        subject=identity.subject,
        known_by=identity.known_by,
        created_at=identity.created_at,
        last_used_at=identity.last_used_at,
    )
