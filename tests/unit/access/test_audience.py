"""The rules of who may read, one by one."""

from collections.abc import Collection
from uuid import UUID

from chalicelib.access.audience import audience_of, is_in
from chalicelib.access.model import AccessSettings, Audience, AudienceKind, GrantAction, Place
from chalicelib.access.readers import audiences_of
from chalicelib.identity.acting import act_on_behalf_of
from chalicelib.identity.manage_members import create_member, set_role
from chalicelib.identity.model import PrincipalKind, WorkspaceId, WorkspaceRole
from chalicelib.identity.store import find_principal
from chalicelib.items.store import find_item
from chalicelib.sharing.change_access import change_item_access
from chalicelib.sharing.manage_grants import give_grant
from chalicelib.sharing.model import AccessChoice
from tests.fixtures.lorebases import Lorebase

W = WorkspaceId(UUID(int=1))
EVERYBODY, OWNER = f"workspace:{W}", f"owner:{W}"
ANN, BOB, CID, TEAM, ORG = "user:ann", "user:bob", "user:cid", "team:t", "org:o"
VIEWER, OWNS = frozenset({EVERYBODY, ORG}), frozenset({EVERYBODY, OWNER, ORG})


def said(kind: AudienceKind, *tokens: str) -> AccessSettings:
    return AccessSettings(audience_kind=kind, audience=frozenset(tokens))


def named(*tokens: str) -> AccessSettings:
    return said(AudienceKind.NAMED, *tokens)


def at(settings: AccessSettings | None = None, *, creator: str | None = None, readers: Collection[str] = ()) -> Place:
    return Place(path="x", creator=creator, settings=settings or AccessSettings(), readers=frozenset(readers))


def reads(places: list[Place], *held: str | frozenset[str]) -> bool:
    tokens = {token for entry in held for token in ({entry} if isinstance(entry, str) else entry)}
    return is_in(audience_of(W, places), tokens, environment=None, is_agent=False)


def test_where_nothing_is_said_the_workspace_reads() -> None:
    assert reads([], VIEWER)
    assert not reads([], ANN, ORG)


def test_the_first_audience_takes_the_place_of_the_workspace_s_readers() -> None:
    wider, narrower = at(said(AudienceKind.ORGANIZATION, ORG)), at(said(AudienceKind.TEAMS, TEAM))
    assert reads([wider], ORG)
    assert reads([narrower], TEAM)
    assert not reads([narrower], VIEWER)


def test_audiences_along_the_way_intersect() -> None:
    p, c = at(named(ANN, BOB)), at(named(BOB, CID))
    assert [reads([p], who) for who in (ANN, BOB, CID)] == [True, True, False]
    assert [reads([p, c, at()], who) for who in (ANN, BOB, CID)] == [False, True, False]
    assert not reads([at(said(AudienceKind.TEAMS, TEAM)), at(said(AudienceKind.ORGANIZATION, ORG))], ORG)


def test_a_restriction_leaves_owners_and_the_creator() -> None:
    item = at(AccessSettings(is_restricted=True), creator=ANN)
    assert reads([item], OWNS)
    assert reads([item], ANN, VIEWER)
    assert not reads([item], BOB, VIEWER)


def test_who_made_a_restricted_item_and_left_the_workspace_reads_it_no_more() -> None:
    assert not reads([at(AccessSettings(is_restricted=True), creator=ANN)], ANN, ORG)


def test_only_me_keeps_owners_out_and_needs_the_workspace_still() -> None:
    item = at(said(AudienceKind.ONLY_ME, ANN), creator=ANN)
    assert reads([item], ANN, VIEWER)
    assert not reads([item], OWNS)
    assert not reads([item], ANN, ORG)


def test_a_grant_passes_what_is_said_there_and_above_and_nothing_below() -> None:
    restricted = AccessSettings(is_restricted=True)
    assert reads([at(readers={BOB})], BOB)
    assert reads([at(restricted, readers={BOB})], BOB)
    assert reads([at(restricted), at(readers={BOB})], BOB)
    assert not reads([at(restricted, readers={BOB}), at(restricted)], BOB, VIEWER)
    assert not reads([at(readers={BOB}), at(said(AudienceKind.ONLY_ME, ANN))], BOB, OWNS)


def test_a_place_that_does_not_inherit_begins_anew() -> None:
    above = at(named(ANN), readers={BOB})
    broken = AccessSettings(inherits=False)
    assert reads([above, at(broken)], OWNS)
    assert not reads([above, at(broken)], ANN, VIEWER)
    assert not reads([above, at(broken)], BOB, VIEWER)
    anew = AccessSettings(inherits=False, audience_kind=AudienceKind.ORGANIZATION, audience=frozenset({ORG}))
    assert reads([above, at(anew)], ORG)


def test_nothing_widens_below_a_folder_that_was_closed() -> None:
    closed = at(AccessSettings(inherits=False))
    assert not reads([closed, at(said(AudienceKind.ORGANIZATION, ORG))], VIEWER)
    assert not reads([at(AccessSettings(is_restricted=True)), at(said(AudienceKind.ORGANIZATION, ORG))], VIEWER)


def test_owners_read_what_is_for_a_team_or_for_named_members() -> None:
    assert reads([at(said(AudienceKind.TEAMS, TEAM)), at(named(ANN))], OWNS)


def test_an_agent_reads_its_own_environment_and_people_read_all() -> None:
    prod = audience_of(W, [at(AccessSettings(environment="prod"))])
    default = audience_of(W, [at(AccessSettings(environment="prod")), at(AccessSettings(environment="default"))])
    assert [is_in(prod, VIEWER, environment=name, is_agent=True) for name in ("prod", "dev", None)] == [
        True,
        False,
        False,
    ]
    assert [is_in(default, VIEWER, environment=name, is_agent=True) for name in ("prod", None)] == [False, True]
    assert is_in(prod, VIEWER, environment=None, is_agent=False)


def test_what_changes_nothing_makes_no_other_audience() -> None:
    default = audience_of(W, [])
    assert default == Audience((frozenset({EVERYBODY}),))
    assert audience_of(W, [at(said(AudienceKind.WORKSPACE, EVERYBODY))]).digest() == default.digest()
    once, twice = audience_of(W, [at(named(ANN))]), audience_of(W, [at(named(ANN)), at(named(ANN))])
    assert once.digest() == twice.digest()


def test_who_acts_for_another_reads_exactly_what_both_may(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md")
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    with lorebase.database.transaction() as tx:
        agent = create_member(
            tx,
            principal=lorebase.owner,
            organization_id=lorebase.owner.organization_id,
            kind=PrincipalKind.AGENT,
            name="Agent",
        )
        set_role(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            member_id=agent.id,
            role=WorkspaceRole.OWNER,
        )
    with lorebase.database.transaction() as tx:
        change_item_access(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            item_id=item.id,
            choice=AccessChoice(is_restricted=True),
        )

    def read() -> bool:
        with lorebase.database.transaction() as tx:
            principal = find_principal(tx, lorebase.owner.organization_id, agent.id)
            assert principal is not None
            acting = act_on_behalf_of(tx, principal=principal, member_id=viewer.id)
            assert acting.roles_by_workspace[lorebase.workspace_id] is WorkspaceRole.VIEWER
            audiences = audiences_of(tx, acting, lorebase.workspace_id)
            return find_item(tx, lorebase.workspace_id, item.id, audiences=audiences) is not None

    assert not read()
    with lorebase.database.transaction() as tx:
        give_grant(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            subject_id=item.id,
            is_folder=False,
            action=GrantAction.READ,
            member_id=viewer.id,
            team_id=None,
        )
    # The agent reads it as an owner and the viewer by the grant, though their lesser role alone would not.
    assert read()
