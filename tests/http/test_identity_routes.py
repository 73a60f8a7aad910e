"""Organizations, members, API keys and workspaces over HTTP."""

from tests.fixtures.api import Api


def test_a_founded_organization_can_be_shown_and_renamed_by_its_admin(api: Api) -> None:
    acme = api.found()
    path = f"/v1/organizations/{acme.organization.id}"
    assert api.call("GET", path, key=acme.token).json["name"] == "Acme"
    assert api.call("PATCH", path, key=acme.token, json_body={"name": "Apex"}).json["name"] == "Apex"
    me = api.call("GET", "/v1/me", key=acme.token).json
    assert (me["organization"]["name"], me["workspaces"][0]["role"]) == ("Apex", "owner")


def test_a_new_organization_works_with_the_key_in_the_answer(api: Api) -> None:
    acme = api.found()
    answer = api.call("POST", "/v1/organizations", key=acme.token, json_body={"name": "Beta"})
    assert answer.status == 201
    token = answer.json["api_key"]["token"]
    assert api.call("GET", "/v1/me", key=token).json["organization"]["id"] == answer.json["organization"]["id"]
    assert api.call("GET", answer.headers["location"], key=acme.token).problem == "organization-not-found"


def test_a_member_without_admin_rights_reads_the_organization_and_changes_nothing(api: Api) -> None:
    acme = api.found()
    members = f"/v1/organizations/{acme.organization.id}/members"
    ann = api.call("POST", members, key=acme.token, json_body={"kind": "user", "name": "Ann", "email": "ann@x.org"})
    assert ann.status == 201
    keys = f"/v1/organizations/{acme.organization.id}/api-keys"
    issued = api.call(
        "POST",
        keys,
        key=acme.token,
        json_body={"name": "hers", "member_id": ann.json["id"], "scopes": ["read", "write", "admin"]},
    )
    her_key = issued.json["token"]
    assert api.call("GET", ann.headers["location"], key=her_key).json["name"] == "Ann"
    assert api.call("GET", members, key=her_key).problem == "action-forbidden"
    assert api.call("POST", members, key=her_key, json_body={"kind": "agent", "name": "x"}).status == 403
    assert api.call("POST", "/v1/organizations", key=her_key, json_body={"name": "Mine"}).status == 403
    assert [key["name"] for key in api.call("GET", keys, key=her_key).json["api_keys"]] == ["hers"]


def test_a_role_is_given_taken_and_works_on_the_next_request(api: Api) -> None:
    acme = api.found()
    organization = f"/v1/organizations/{acme.organization.id}"
    bot = api.call("POST", f"{organization}/members", key=acme.token, json_body={"kind": "agent", "name": "Bot"}).json
    key = api.call(
        "POST", f"{organization}/api-keys", key=acme.token, json_body={"name": "k", "member_id": bot["id"]}
    ).json["token"]
    workspace = f"/v1/workspaces/{acme.workspace.id}"
    assert api.call("GET", workspace, key=key).problem == "workspace-not-found"
    role = f"{workspace}/members/{bot['id']}"
    assert api.call("PUT", role, key=acme.token, json_body={"role": "viewer"}).status == 200
    assert api.call("GET", workspace, key=key).json["slug"] == "main"
    assert api.call("DELETE", role, key=acme.token).status == 204
    assert api.call("GET", workspace, key=key).problem == "workspace-not-found"


def test_a_revoked_key_stops_working_at_once(api: Api) -> None:
    acme = api.found()
    keys = f"/v1/organizations/{acme.organization.id}/api-keys"
    issued = api.call("POST", keys, key=acme.token, json_body={"name": "short"}).json
    assert api.call("GET", "/v1/me", key=issued["token"]).status == 200
    assert api.call("DELETE", f"{keys}/{issued['id']}", key=acme.token).status == 204
    refused = api.call("GET", "/v1/me", key=issued["token"])
    assert (refused.status, refused.problem, refused.headers["www-authenticate"]) == (401, "unauthenticated", "Bearer")


def test_workspaces_are_made_listed_and_changed(api: Api) -> None:
    acme = api.found()
    workspaces = f"/v1/organizations/{acme.organization.id}/workspaces"
    made = api.call("POST", workspaces, key=acme.token, json_body={"slug": "research", "name": "Research"})
    assert made.status == 201
    assert api.call("POST", workspaces, key=acme.token, json_body={"slug": "research"}).problem == "slug-taken"
    assert api.call("POST", workspaces, key=acme.token, json_body={"slug": "No!"}).problem == "invalid-identity"
    changed = api.call(
        "PATCH", made.headers["location"], key=acme.token, json_body={"quotas": {"items": 3}, "slug": "lab"}
    )
    assert (changed.json["slug"], changed.json["quotas"]) == ("lab", {"items": 3})
    assert [entry["slug"] for entry in api.call("GET", "/v1/workspaces", key=acme.token).json["workspaces"]] == [
        "main",
        "lab",
    ]


def test_members_come_in_pages(api: Api) -> None:
    acme = api.found()
    members = f"/v1/organizations/{acme.organization.id}/members"
    for number in range(4):
        api.call("POST", members, key=acme.token, json_body={"kind": "agent", "name": f"bot {number}"})
    names: list[str] = []
    query: dict[str, object] = {"limit": 2}
    while True:
        page = api.call("GET", members, key=acme.token, query=query).json
        names += [member["name"] for member in page["members"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert names == ["Owner", "bot 0", "bot 1", "bot 2", "bot 3"]


def test_a_member_is_renamed_promoted_and_disabled_but_the_last_admin_stays(api: Api) -> None:
    acme = api.found()
    organization = f"/v1/organizations/{acme.organization.id}"
    owner = f"{organization}/members/{acme.owner.id}"
    demoted = {"organization_role": "member"}
    assert api.call("PATCH", owner, key=acme.token, json_body=demoted).problem == "last-admin"
    assert api.call("PATCH", owner, key=acme.token, json_body={"disabled": True}).problem == "last-admin"
    ann = api.call("POST", f"{organization}/members", key=acme.token, json_body={"kind": "user", "name": "Ann"}).json
    promoted = {"organization_role": "admin", "name": "Anna"}
    changed = api.call("PATCH", f"{organization}/members/{ann['id']}", key=acme.token, json_body=promoted).json
    assert (changed["name"], changed["organization_role"], changed["disabled_at"]) == ("Anna", "admin", None)
    assert api.call("PATCH", owner, key=acme.token, json_body=demoted).json["organization_role"] == "member"
    assert api.call("PATCH", owner, key=acme.token, json_body={"name": "X"}).problem == "action-forbidden"
