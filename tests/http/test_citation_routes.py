"""Citations over HTTP: found by who kept them, refused beyond the quota, withdrawn by owners."""

from chalicelib.database.ids import new_id
from tests.fixtures.api import Api
from tests.fixtures.lorebases import Lorebase


def test_an_answer_is_found_by_who_kept_it_withdrawn_and_counted(whole_api: Api, lorebase: Lorebase) -> None:
    key, workspace = lorebase.foundation.token, f"/v1/workspaces/{lorebase.workspace_id}"
    item = lorebase.add_item("a.md")
    cited = {
        "consumer_kind": "page",
        "consumer_id": "1",
        "text": "It says so.",
        "citations": [{"item_id": str(item.id), "revision": 1, "span": [0, 1]}],
    }
    limited = {"quotas": {"citations": 1}}
    assert whole_api.call("PATCH", workspace, key=key, json_body=limited).status == 200
    answer = whole_api.call("POST", f"{workspace}/citations", key=key, json_body=cited).json
    refused = whole_api.call("POST", f"{workspace}/citations", key=key, json_body=cited)
    assert (refused.status, refused.problem, refused.json["quota"]) == (402, "quota-exceeded", "citations")
    usage = whole_api.call("GET", f"{workspace}/status", key=key).json["usage"]
    assert usage["citations"] == {"used": 1, "limit": 1}

    for path in (f"{workspace}/citations", f"{workspace}/items/{item.id}/citations"):
        for member, total in ((lorebase.owner.id, 1), (new_id(), 0)):
            found = whole_api.call("GET", path, key=key, query={"created_by": str(member)})
            assert found.json["total"] == total
    for query in ({"consumer_kind": "page"}, {"consumer_id": "1"}, {"created_by": "me"}):
        assert whole_api.call("GET", f"{workspace}/citations", key=key, query=query).status in {400, 422}

    for _ in range(2):
        assert whole_api.call("DELETE", f"{workspace}/answers/{answer['id']}", key=key).status == 204
    kept = whole_api.call("GET", f"{workspace}/answers/{answer['id']}", key=key).json
    assert (kept["text"], kept["withheld"], kept["text_characters"]) == (None, True, 11)
    absent = whole_api.call("DELETE", f"{workspace}/answers/{new_id()}", key=key)
    assert absent.problem == "answer-not-found"
