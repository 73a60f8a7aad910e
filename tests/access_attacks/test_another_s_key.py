"""An admin can become any member by a key in their name, and both the member and the activity tell that it was made."""

from tests.access_attacks.besieged import Besieged

ONLY_ME = {"kind": "only_me"}


def test_a_key_in_another_s_name_reads_what_they_keep_and_is_told_of(besieged: Besieged) -> None:
    keeper = besieged.member("editor")
    item = besieged.add(keeper, "x/a.md")
    besieged.say(item, who=keeper, audience=ONLY_ME)
    assert besieged.ask(besieged.owner, "GET", item).status == 404
    body = {"name": "theirs", "member_id": keeper.id, "scopes": ["read"]}
    made = besieged.own("POST", f"{besieged.organization}/api-keys", body)
    assert besieged.api.call("GET", item, key=made["token"]).status == 200
    assert made["created_by"] == besieged.owner.id
    seen = besieged.done(keeper, "GET", f"{besieged.organization}/api-keys")["api_keys"]
    assert {key["name"]: key["created_by"] for key in seen}["theirs"] == besieged.owner.id


def test_the_activity_tells_who_made_a_key_in_whose_name(besieged: Besieged) -> None:
    keeper = besieged.member("editor")
    entries = besieged.own("GET", f"{besieged.organization}/activity?action=api_key.created")["activity"]
    [entry] = [entry for entry in entries if entry["after"]["member_id"] == keeper.id]
    assert entry["actor"]["id"] == besieged.owner.id


def test_nobody_but_an_admin_makes_a_key_in_another_s_name(besieged: Besieged) -> None:
    keeper, viewer, owner = besieged.member("editor"), besieged.member("viewer"), besieged.member("owner")
    body = {"name": "theirs", "member_id": keeper.id, "scopes": ["read"]}
    for who in (viewer, owner):
        answered = besieged.ask(who, "POST", f"{besieged.organization}/api-keys", body)
        assert answered.problem == "action-forbidden"
        assert (
            besieged.ask(who, "POST", f"{besieged.organization}/api-keys", {"name": "own"}).json["created_by"] == who.id
        )
