"""Copies are read back as the reader's access is now, change never, and leave with what they cite."""

from dataclasses import replace
from enum import StrEnum

import psycopg
import pytest

from chalicelib.citations.errors import AnswerNotFound
from chalicelib.identity.model import WorkspaceRole
from chalicelib.intake.purge_items import purge_item
from chalicelib.intake.restore_item import restore_item
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import Item
from chalicelib.sharing.move_folder import move_folder
from tests.fixtures.citing import RUN, TEXT, answered, cited, listed, read
from tests.fixtures.crowd import NOTHING, ONLY_ME, RESTRICTED, Crowd


class Hiding(StrEnum):
    """Ways in which an item goes out of a reader's sight, and comes back."""

    RESTRICTED = "restricted"
    ONLY_ME = "only me"
    FOLDER = "folder restricted"
    DELETED = "deleted"
    MOVED = "moved"


def hide(crowd: Crowd, item: Item, how: Hiding) -> None:
    match how:
        case Hiding.RESTRICTED:
            crowd.say(item, RESTRICTED)
        case Hiding.ONLY_ME:
            crowd.say(item, ONLY_ME)
        case Hiding.FOLDER:
            crowd.say("b", RESTRICTED)
        case Hiding.DELETED:
            crowd.delete(item)
        case Hiding.MOVED:
            crowd.say("closed", RESTRICTED)
            crowd.do(move_folder, crowd.owner, source="b", target="closed/b")


def show(crowd: Crowd, item: Item, how: Hiding) -> None:
    match how:
        case Hiding.RESTRICTED | Hiding.ONLY_ME:
            crowd.say(item, NOTHING)
        case Hiding.FOLDER:
            crowd.say("b", NOTHING)
        case Hiding.DELETED:
            rules = crowd.lorebase.wired.item_rules
            crowd.do(restore_item, crowd.owner, item_id=item.id, path=None, rules=rules)
        case Hiding.MOVED:
            crowd.do(move_folder, crowd.owner, source="closed/b", target="b")


@pytest.mark.parametrize("how", list(Hiding))
def test_the_next_read_obeys(crowd: Crowd, how: Hiding) -> None:
    item, other = crowd.add("b/item.md"), crowd.add("other.md")
    answer = answered(crowd, cited(item, quote="plan"), cited(other))
    before = read(crowd, crowd.viewer, answer)
    assert (before.text, len(before.citations)) == (TEXT, 2)
    hide(crowd, item, how)
    kept = read(crowd, crowd.viewer, answer)
    assert (kept.text, kept.title, kept.is_withheld) == (None, None, True)
    assert (kept.text_characters, kept.text_sha256) == (before.text_characters, before.text_sha256)
    assert [each.path for each in kept.citations] == ["other.md"]
    by_run, total = listed(crowd, crowd.viewer, consumer=RUN)
    assert ([(each.path, each.title) for each in by_run], total) == ([("other.md", None)], 1)
    assert [each.title for each in listed(crowd, crowd.viewer, item_id=other.id)[0]] == [None]
    with pytest.raises(ItemNotFound):
        listed(crowd, crowd.viewer, item_id=item.id)
    show(crowd, item, how)
    after = read(crowd, crowd.viewer, answer)
    assert (after.text, after.title, len(after.citations)) == (TEXT, "What the plan says", 2)
    assert listed(crowd, crowd.viewer, consumer=RUN)[1] == 2


def test_a_grant_that_is_withdrawn_takes_the_copies_with_it(crowd: Crowd) -> None:
    item = crowd.add("secret.md")
    crowd.say(item, RESTRICTED)
    teller = crowd.member(WorkspaceRole.VIEWER)
    grant = crowd.grant(item, team_id=crowd.team(teller))
    answer = answered(crowd, cited(item), who=teller)
    assert read(crowd, teller, answer).text == TEXT
    crowd.take(item, grant)
    # Whoever made it still learns that it did, and nothing that is in it.
    kept = read(crowd, teller, answer)
    assert (kept.text, kept.title, kept.is_withheld, kept.citations) == (None, None, True, [])
    assert listed(crowd, teller, consumer=RUN) == ([], 0)
    for who in (crowd.viewer, crowd.agent):
        with pytest.raises(AnswerNotFound):
            read(crowd, who, answer)
    assert read(crowd, crowd.owner, answer).text == TEXT


def test_who_acts_for_another_is_shown_what_both_may_read(crowd: Crowd) -> None:
    item, other = crowd.add("item.md"), crowd.add("other.md")
    crowd.say(item, RESTRICTED)
    answer = answered(crowd, cited(item), cited(other))
    for_viewer = replace(crowd.owner, on_behalf_of=crowd.now(crowd.viewer))
    found = read(crowd, for_viewer, answer)
    assert (found.text, [each.path for each in found.citations]) == (None, ["other.md"])


def test_the_trash_shows_its_citations_to_who_may_read_it(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    answer = answered(crowd, cited(item))
    crowd.delete(item)
    with pytest.raises(AnswerNotFound):
        read(crowd, crowd.viewer, answer)
    in_trash = read(crowd, crowd.viewer, answer, with_trash=True)
    assert (in_trash.text, [each.is_deleted for each in in_trash.citations]) == (TEXT, [True])
    assert listed(crowd, crowd.viewer, item_id=item.id, with_trash=True)[1] == 1
    crowd.grant(crowd.add("open.md"), member_id=crowd.stranger)
    with pytest.raises(AnswerNotFound):
        read(crowd, crowd.stranger, answer, with_trash=True)


def test_what_is_deleted_for_good_takes_quotes_and_texts_with_it(crowd: Crowd) -> None:
    item, other = crowd.add("a.md"), crowd.add("other.md")
    answer = answered(crowd, cited(item, quote="the plan"), cited(other))
    crowd.delete(item)
    crowd.do(purge_item, crowd.owner, item_id=item.id, rules=crowd.lorebase.wired.intake_rules)
    found = read(crowd, crowd.owner, answer, with_trash=True)
    assert (found.text, found.title, found.is_withheld) == (None, None, True)
    assert (found.text_characters, [each.path for each in found.citations]) == (len(TEXT), ["other.md"])
    with psycopg.connect(crowd.lorebase.database.conninfo) as session:
        kept = session.execute("select text, title, cited from answers").fetchall()
        assert (kept, session.execute("select count(*) from citations").fetchone()) == ([(None, None, 2)], (1,))


@pytest.mark.parametrize(
    "change",
    [
        "update citations set quote = 'other'",
        "update citations set item_id = item_id",
        "delete from citations",
        "truncate citations",
        "update answers set text = 'other'",
        "update answers set text = null, title = null",
        "delete from answers",
        "truncate answers cascade",
    ],
)
def test_nothing_is_changed_even_by_the_owner_of_the_database(crowd: Crowd, change: str) -> None:
    answered(crowd, cited(crowd.add("a.md")))
    with (
        psycopg.connect(crowd.lorebase.database.conninfo) as session,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        session.execute(change.encode())


def test_a_workspace_takes_its_citations_with_it(crowd: Crowd) -> None:
    answered(crowd, cited(crowd.add("a.md")))
    with psycopg.connect(crowd.lorebase.database.conninfo) as session:
        session.execute("delete from organizations")
        assert session.execute("select count(*) from answers").fetchone() == (0,)
