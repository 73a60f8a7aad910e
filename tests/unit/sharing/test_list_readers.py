"""Who can read is worked out for all members at once, in pages."""

import time
from uuid import UUID

from chalicelib.access.model import AudienceKind, GrantAction
from chalicelib.database.statements import Statement
from chalicelib.identity.manage_teams import create_team
from chalicelib.identity.model import PrincipalKind, WorkspaceRole
from chalicelib.sharing.change_access import change_item_access
from chalicelib.sharing.list_readers import Readers, list_readers
from chalicelib.sharing.manage_grants import give_grant
from chalicelib.sharing.model import AccessChoice, AudienceChoice
from tests.fixtures.lorebases import Lorebase

MEMBERS = 10_000
_FILL = Statement(
    "fill",
    "Add members, each third of them to a team and each fifth to the workspace.",
    b"""
    with added as (
        insert into principals (id, organization_id, kind, name, organization_role)
        select gen_random_uuid(), %(organization_id)s, 'user', 'Member ' || number, 'member'
        from generate_series(1, %(count)s) as number returning id, name
    ), numbered as (
        select id, split_part(name, ' ', 2)::int as number from added
    ), placed as (
        insert into memberships (organization_id, workspace_id, principal_id, role)
        select %(organization_id)s, %(workspace_id)s, id, 'viewer' from numbered where number %% 5 = 0
    )
    insert into team_members (organization_id, team_id, principal_id)
    select %(organization_id)s, %(team_id)s, id from numbered where number %% 3 = 0
    """,
)


def test_readers_of_ten_thousand_members_come_in_pages_and_are_all_there(lorebase: Lorebase) -> None:
    owner = lorebase.owner
    organization_id = owner.organization_id
    with lorebase.database.transaction() as tx:
        team = create_team(tx, principal=owner, organization_id=organization_id, name="Third")
        tx.execute(
            _FILL,
            organization_id=organization_id,
            workspace_id=lorebase.workspace_id,
            team_id=team.id,
            count=MEMBERS,
        )
    item = lorebase.add_item("all.md")

    def page(after: UUID | None = None, limit: int = 1000) -> Readers:
        with lorebase.database.transaction() as tx:
            return list_readers(
                tx,
                principal=owner,
                workspace_id=lorebase.workspace_id,
                subject_id=item.id,
                is_folder=False,
                after=after,
                limit=limit,
            )

    assert page().counts_by_kind[PrincipalKind.USER] == MEMBERS // 5 + 1
    choice = AccessChoice(audience=AudienceChoice(AudienceKind.TEAMS, frozenset({team.id})))
    with lorebase.database.transaction() as tx:
        change_item_access(tx, principal=owner, workspace_id=lorebase.workspace_id, item_id=item.id, choice=choice)
    started = time.perf_counter()
    first = page()
    assert time.perf_counter() - started < 5
    assert first.counts_by_kind[PrincipalKind.USER] == MEMBERS // 3 + 1
    seen = [reader.id for reader in first.readers]
    while more := page(seen[-1]).readers:
        seen += [reader.id for reader in more]
    assert len(seen) == len(set(seen)) == MEMBERS // 3 + 1
    assert seen == sorted(seen)


def test_each_reader_is_told_with_all_it_reads_by(lorebase: Lorebase) -> None:
    editor = lorebase.member(WorkspaceRole.EDITOR)
    item = lorebase.add_item("kept.md")
    with lorebase.database.transaction() as tx:
        change_item_access(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            item_id=item.id,
            choice=AccessChoice(is_restricted=True),
        )
        grant = give_grant(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            subject_id=item.id,
            is_folder=False,
            action=GrantAction.READ,
            member_id=editor.id,
            team_id=None,
        )
        listed = list_readers(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            subject_id=item.id,
            is_folder=False,
            after=None,
            limit=10,
        )
    by_id = {reader.id: reader for reader in listed.readers}
    assert set(by_id) == {editor.id, lorebase.owner.id}
    assert [ground.kind for ground in by_id[editor.id].grounds] == ["role", "grant"]
    assert by_id[editor.id].grounds[1].grant_id == grant.id
    assert [ground.kind for ground in by_id[lorebase.owner.id].grounds] == ["role", "owner", "creator"]
