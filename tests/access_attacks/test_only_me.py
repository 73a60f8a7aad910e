"""Only me is nobody else: no owner's grant to itself from before holds on."""

from tests.access_attacks.besieged import Besieged

ONLY_ME = {"kind": "only_me"}


def test_a_grant_that_an_owner_gave_itself_before_does_not_outlast_only_me(besieged: Besieged) -> None:
    editor, spy = besieged.member("editor"), besieged.member("owner")
    item = besieged.add(editor, "x/a.md")
    besieged.grant(item, "write", spy, who=spy)
    besieged.say(item, who=editor, audience=ONLY_ME)
    assert (besieged.ask(spy, "GET", item).status, besieged.ask(editor, "GET", item).status) == (404, 200)


def test_a_folder_that_an_owner_keeps_ends_the_grants_on_it(besieged: Besieged) -> None:
    keeper, spy = besieged.member("owner"), besieged.member("owner")
    folder = besieged.folder("mine")
    item = besieged.add(keeper, "mine/a.md")
    besieged.grant(folder, "read", spy, who=spy)
    besieged.say(folder, who=keeper, audience=ONLY_ME)
    assert besieged.ask(spy, "GET", item).status == 404
    assert besieged.ask(spy, "GET", folder).status == 404


def test_what_its_keeper_grants_while_keeping_it_holds_when_it_is_said_again(besieged: Besieged) -> None:
    keeper, friend = besieged.member("owner"), besieged.member()
    item = besieged.add(keeper, "x/a.md")
    besieged.say(item, who=keeper, audience=ONLY_ME)
    besieged.grant(item, "read", friend, who=keeper)
    besieged.say(item, who=keeper, audience=ONLY_ME, environment="default")
    assert (besieged.ask(friend, "GET", item).status, besieged.ask(besieged.owner, "GET", item).status) == (200, 404)
