"""Who a subject is: the user it was before, the user with its verified address, somebody new, or nobody."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.manage_members import create_member, list_members, update_member
from chalicelib.identity.model import Member, Principal, PrincipalKind
from chalicelib.identity.oidc.manage_providers import forget_user_identity, list_user_identities
from chalicelib.identity.oidc.model import IdentityProvider, KnownBy, UserIdentity
from tests.unit.identity.oidc.conftest import Trust


def add_user(trusting: Trust, email: str, *, asker: Principal | None = None) -> Member:
    owner = asker or trusting.lorebase.owner
    with trusting.lorebase.database.transaction() as tx:
        return create_member(
            tx,
            principal=owner,
            organization_id=owner.organization_id,
            kind=PrincipalKind.USER,
            name=email,
            email=email,
        )


def disable(trusting: Trust, member_id: Any) -> None:
    owner = trusting.lorebase.owner
    with trusting.lorebase.database.transaction() as tx:
        update_member(tx, principal=owner, organization_id=owner.organization_id, member_id=member_id, disabled=True)


def members(trusting: Trust) -> list[Member]:
    owner = trusting.lorebase.owner
    with trusting.lorebase.database.transaction() as tx:
        return list(list_members(tx, principal=owner, organization_id=owner.organization_id, after=None, limit=100))


def identities(trusting: Trust, provider: IdentityProvider) -> list[UserIdentity]:
    with trusting.lorebase.database.transaction() as tx:
        return list(
            list_user_identities(
                tx,
                principal=trusting.lorebase.owner,
                organization_id=provider.organization_id,
                provider_id=provider.id,
                after=None,
                limit=100,
            )
        )


def refuse(trusting: Trust, **claims: Any) -> None:
    before = members(trusting)
    with pytest.raises(Unauthenticated):
        trusting.authenticate(trusting.token(**claims))
    assert members(trusting) == before


def test_a_stranger_is_refused_where_nobody_is_admitted(trusting: Trust) -> None:
    trusting.trust()
    refuse(trusting, email="ann@example.com", email_verified=True)


def test_a_subject_becomes_the_user_with_its_verified_address_once(trusting: Trust) -> None:
    ann = add_user(trusting, "Ann@example.com")
    provider = trusting.trust(links_by_email=True)
    principal = trusting.authenticate(trusting.token(email="ann@EXAMPLE.com", email_verified=True))
    assert principal.id == ann.id
    (identity,) = identities(trusting, provider)
    assert (identity.principal_id, identity.subject, identity.known_by) == (ann.id, "subject-1", KnownBy.EMAIL)
    assert trusting.authenticate(trusting.token(email="new-address@example.com")).id == ann.id


@pytest.mark.parametrize("verified", [None, False, "false", 1, "yes", "True", ["true"]])
def test_an_address_that_nobody_vouches_for_makes_nobody(trusting: Trust, verified: object) -> None:
    add_user(trusting, "ann@example.com")
    trusting.trust(links_by_email=True, admits=True)
    refuse(trusting, email="ann@example.com", email_verified=verified)


@pytest.mark.parametrize("verified", [True, "true"])
def test_the_claims_may_have_other_names(trusting: Trust, verified: object) -> None:
    ann = add_user(trusting, "ann@example.com")
    trusting.trust(links_by_email=True, email_claim="upn", email_verified_claim="xms_edov")
    assert trusting.authenticate(trusting.token(upn="ann@example.com", xms_edov=verified)).id == ann.id


def test_who_takes_over_an_address_does_not_become_its_former_holder(trusting: Trust) -> None:
    add_user(trusting, "ann@example.com")
    trusting.trust(links_by_email=True, admits=True)
    trusting.authenticate(trusting.token(email="ann@example.com", email_verified=True))
    refuse(trusting, sub="subject-2", email="ann@example.com", email_verified=True)


def test_an_admin_may_let_the_next_subject_have_the_address(trusting: Trust) -> None:
    ann = add_user(trusting, "ann@example.com")
    provider = trusting.trust(links_by_email=True)
    trusting.authenticate(trusting.token(email="ann@example.com", email_verified=True))
    with trusting.lorebase.database.transaction() as tx:
        forget_user_identity(
            tx,
            principal=trusting.lorebase.owner,
            organization_id=provider.organization_id,
            provider_id=provider.id,
            member_id=ann.id,
        )
    other = trusting.token(sub="subject-2", email="ann@example.com", email_verified=True)
    assert trusting.authenticate(other).id == ann.id
    refuse(trusting, email="ann@example.com", email_verified=True)


def test_letters_that_only_look_like_an_address_are_another(trusting: Trust) -> None:
    add_user(trusting, "kim@example.com")
    trusting.trust(links_by_email=True, admits=True)
    refuse(trusting, email="\u212aim@example.com", email_verified=True)


def test_a_user_of_another_organization_is_not_found_by_address(trusting: Trust) -> None:
    other = trusting.lorebase.found("Other").owner
    there = add_user(trusting, "ann@example.com", asker=other)
    trusting.trust(links_by_email=True, admits=True)
    admitted = trusting.authenticate(trusting.token(email="ann@example.com", email_verified=True))
    assert admitted.id != there.id
    assert admitted.organization_id == trusting.lorebase.owner.organization_id


def test_a_subject_is_admitted_as_a_member_without_roles(trusting: Trust) -> None:
    provider = trusting.trust(admits=True)
    admitted = trusting.authenticate(trusting.token(email="bob@example.com", email_verified=True, name="Bob"))
    assert (admitted.name, admitted.roles_by_workspace) == ("Bob", {})
    (member,) = [each for each in members(trusting) if each.id == admitted.id]
    assert (member.email, member.organization_role) == ("bob@example.com", "member")
    assert identities(trusting, provider)[0].known_by is KnownBy.ADMISSION


def test_an_address_without_proof_is_not_kept(trusting: Trust) -> None:
    trusting.trust(admits=True)
    admitted = trusting.authenticate(trusting.token(email="bob@example.com"))
    assert [each.email for each in members(trusting) if each.id == admitted.id] == [None]


@pytest.mark.parametrize(
    ("email", "verified", "is_admitted"),
    [
        ("ann@example.com", True, True),
        ("ann@EXAMPLE.com", True, True),
        ("ann@other.example.org", True, True),
        ("ann@evil.com", True, False),
        ("ann@example.com.evil.com", True, False),
        ("ann@sub.example.com", True, False),
        ("ann@notexample.com", True, False),
        ("example.com", True, False),
        ("x@evil.com@example.com", True, False),
        ("ann@example.com", False, False),
        (None, True, False),
        (["ann@example.com"], True, False),
        ("ann@example.com\n", True, False),
        ("ann@example.com\x00", True, False),
    ],
)
def test_admission_may_be_for_some_domains_alone(
    trusting: Trust,
    email: object,
    verified: bool,  # noqa: FBT001 - a column of the table
    is_admitted: bool,  # noqa: FBT001 - as above
) -> None:
    trusting.trust(admits=True, email_domains=["Example.com", "other.example.org"])
    claims = {"email": email, "email_verified": verified}
    if is_admitted:
        assert trusting.authenticate(trusting.token(**claims)).kind is PrincipalKind.USER
    else:
        refuse(trusting, **claims)


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"name": "  Zoë\u202e\x00\n  "}, "Zoë"),
        ({"name": "\u200b"}, "A user without a name"),
        ({"name": "n" * 500}, "n" * 200),
        ({"name": ["x"], "preferred_username": "zoe"}, "zoe"),
        ({"email": "zoe@example.com"}, "zoe@example.com"),
        ({"name": "\ud800"}, "A user without a name"),
    ],
)
def test_whatever_a_new_user_is_called_can_be_shown(trusting: Trust, claims: dict[str, Any], name: str) -> None:
    trusting.trust(admits=True)
    assert trusting.authenticate(trusting.token(**claims)).name == name


def test_a_disabled_user_is_out_with_all_tokens_and_by_no_way_in_again(trusting: Trust) -> None:
    trusting.trust(admits=True, links_by_email=True)
    token = trusting.token(email="bob@example.com", email_verified=True)
    bob = trusting.authenticate(token)
    disable(trusting, bob.id)
    for claims in ({}, {"sub": "subject-2"}, {"sub": "subject-3", "email_verified": None}):
        refuse(trusting, email="bob@example.com", **{"email_verified": True, **claims})
    with pytest.raises(Unauthenticated):
        trusting.authenticate(token)


def test_an_address_that_is_taken_is_refused_where_addresses_tell_nobody(trusting: Trust) -> None:
    add_user(trusting, "ann@example.com")
    trusting.trust(admits=True)
    refuse(trusting, email="ann@example.com", email_verified=True)


def test_of_many_first_requests_at_once_one_makes_the_user(trusting: Trust) -> None:
    trusting.trust(admits=True)
    token = trusting.token(email="bob@example.com", email_verified=True)
    with ThreadPoolExecutor(6) as threads:
        found = {principal.id for principal in threads.map(trusting.authenticate, [token] * 12)}
    assert len(found) == 1
    assert len(members(trusting)) == 2


def test_of_several_subjects_with_one_address_at_once_one_becomes_its_user(trusting: Trust) -> None:
    ann = add_user(trusting, "ann@example.com")
    provider = trusting.trust(links_by_email=True)
    tokens = [trusting.token(sub=f"s{n}", email="ann@example.com", email_verified=True) for n in range(6)]

    def attempt(token: str) -> Any:
        try:
            return trusting.authenticate(token).id
        except Unauthenticated:
            return None

    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(attempt, tokens))
    assert sorted(map(str, found)) == sorted([str(ann.id), *["None"] * 5])
    assert len(identities(trusting, provider)) == 1


def test_last_use_is_noted_to_the_minute(trusting: Trust) -> None:
    provider = trusting.trust(admits=True)
    seen = []
    for seconds in (0, 30, 40):
        trusting.lorebase.clock.move(seconds=seconds)
        trusting.authenticate(trusting.token())
        (identity,) = identities(trusting, provider)
        assert identity.last_used_at is not None
        seen.append(identity.last_used_at)
    assert [moment - seen[0] for moment in seen] == [timedelta(0), timedelta(0), timedelta(seconds=70)]
