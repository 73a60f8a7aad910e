"""What a viewer may not do answers 403 on every route, and does nothing."""

import pytest

from tests.fixtures.api import Api
from tests.fixtures.gathered import gather
from tests.fixtures.identity_providers import trusted_provider
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.route_walk import is_anonymous, visits

FOR_VIEWERS = frozenset({"ask_search"})
FOR_ADMINS = frozenset(
    {
        "export_activity_of_organization",
        "list_activity_of_organization",
        "list_identified_members",
        "list_identity_providers",
        "list_organization_invitations",
        "list_organization_members",
        "list_users_of_team",
        "estimate_embedding_change",
        "show_budget",
        "show_usage",
        "show_identity_provider",
    }
)
FOR_OWNERS = frozenset(
    {
        "export_activity_of_workspace",
        "list_activity_of_workspace",
        "list_workspace_jobs",
        "show_job",
        "list_shared_folders",
        "show_shared_folder",
        "show_folder_access",
        "list_folder_grants",
        "show_item_access",
        "list_item_grants",
        "list_item_readers",
        "list_folder_readers",
        "list_knowledge_base_agents",
        "list_knowledge_base_grants",
        "show_contexts",
        "show_reindexing",
        "show_workspace_budget",
        "show_workspace_usage",
    }
)


@pytest.fixture
def viewer_key(whole_api: Api, lorebase: Lorebase) -> str:
    acme = lorebase.foundation
    organization = f"/v1/organizations/{acme.organization.id}"
    body = {"kind": "user", "name": "Vera"}
    member = whole_api.call("POST", f"{organization}/members", key=acme.token, json_body=body).json
    role = f"/v1/workspaces/{acme.workspace.id}/members/{member['id']}"
    whole_api.call("PUT", role, key=acme.token, json_body={"role": "viewer"})
    issued = {"name": "k", "member_id": member["id"], "scopes": ["read", "write", "admin"]}
    answered = whole_api.call("POST", f"{organization}/api-keys", key=acme.token, json_body=issued)
    return str(answered.json["token"])


def corners_of(api: Api, organization: str, key: str) -> dict[str, str]:
    """Make a team, an environment and an invitation; return their ids."""
    made = {
        "team_id": ("teams", {"name": "Editors"}),
        "environment_id": ("environments", {"slug": "staging"}),
        "invitation_id": ("invitations", {"email": "guest@example.org"}),
    }
    return {
        name: api.call("POST", f"{organization}/{path}", key=key, json_body=body).json["id"]
        for name, (path, body) in made.items()
    }


def test_a_viewer_reads_and_changes_nothing(whole_api: Api, lorebase: Lorebase, viewer_key: str) -> None:
    acme = lorebase.foundation
    item = lorebase.add_item("a.md")
    upload = lorebase.upload("b.md", b"# B")
    lorebase.add_item("kept/c.md")
    lorebase.drain()
    organization, workspace = f"/v1/organizations/{acme.organization.id}", f"/v1/workspaces/{acme.workspace.id}"
    trashed = lorebase.add_item("trashed.md")
    whole_api.call("DELETE", f"{workspace}/items/{trashed.id}", key=acme.token)
    job = whole_api.call("GET", f"{workspace}/jobs", key=acme.token).json["jobs"][0]
    folder = whole_api.call("POST", f"{workspace}/folders", key=acme.token, json_body={"path": "kept"}).json
    ids = {
        "organization_id": acme.organization.id,
        "workspace_id": acme.workspace.id,
        "member_id": acme.owner.id,
        "api_key_id": acme.api_key.id,
        **corners_of(whole_api, organization, acme.token),
        "provider_id": trusted_provider(lorebase).id,
        "item_id": item.id,
        "trashed_item_id": trashed.id,
        "upload_id": upload.id,
        "job_id": job["id"],
        "folder_id": folder["id"],
        **gather(whole_api, workspace, acme.token, item.id, folder="kept", said="Something"),
    }
    for visit in visits(ids):
        answered = whole_api.call(visit.method, visit.path, key=viewer_key, **visit.options)
        name = visit.route.name
        if name == "issue_key":
            assert answered.status == 201, "its own keys are its own business"
        elif name == "show_team":
            assert answered.problem == "team-not-found", "it is in no team"
        elif name == "accept":
            assert answered.problem == "invitation-not-found", "the token opens nothing"
        elif name == "cite":
            assert answered.problem == "item-not-found", "viewers may cite what is there"
        elif name in {"revoke_key", "rotate_key"}:
            assert answered.problem == "api-key-not-found", "others' keys are none of it"
        elif name == "show_member" or name in FOR_ADMINS | FOR_OWNERS:
            assert answered.problem == "action-forbidden", name
        elif visit.method == "GET" or name in FOR_VIEWERS or is_anonymous(visit.route):
            assert answered.status < 400, f"{name} {answered.text}"
        else:
            assert answered.problem == "action-forbidden", f"{name} {answered.text}"
    assert whole_api.call("GET", f"{workspace}/items/{item.id}", key=acme.token).headers["etag"] == '"1"'
    assert len(whole_api.call("GET", f"{workspace}/items", key=acme.token).json["items"]) == 3
    assert len(whole_api.call("GET", f"{workspace}/trash", key=acme.token).json["items"]) == 1


def test_a_viewer_is_told_no_count_of_the_workspace_as_a_whole(
    whole_api: Api, lorebase: Lorebase, viewer_key: str
) -> None:
    lorebase.add_item("a.md")
    url = f"/v1/workspaces/{lorebase.foundation.workspace.id}/status"
    for key, counts in ((viewer_key, {"jobs": {}, "usage": {}}), (lorebase.foundation.token, None)):
        seen = whole_api.call("GET", url, key=key).json
        assert seen["items"]["pending"] == 1
        assert ({name: seen[name] for name in ("jobs", "usage")} == counts) is (key == viewer_key)


def test_a_key_for_reading_alone_changes_nothing(whole_api: Api, lorebase: Lorebase) -> None:
    acme = lorebase.foundation
    issued = {"name": "reader", "scopes": ["read"]}
    keys = f"/v1/organizations/{acme.organization.id}/api-keys"
    key = whole_api.call("POST", keys, key=acme.token, json_body=issued).json["token"]
    workspace = f"/v1/workspaces/{acme.workspace.id}"
    refused = whole_api.call("POST", f"{workspace}/items", key=key, json_body={"path": "a.md", "body": "x"})
    assert refused.problem == "action-forbidden"
    assert whole_api.call("GET", f"{workspace}/items", key=key).status == 200
    assert whole_api.call("POST", keys, key=key, json_body={"name": "more"}).problem == "action-forbidden"
