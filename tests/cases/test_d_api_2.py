"""D-API-2: of editors who save at once over the same revision one wins, and the others are told."""

from concurrent.futures import ThreadPoolExecutor

import httpx

from chalicelib.platform.local.http_server import LocalServer
from tests.fixtures.api import Api

EDITORS = 20


def test_of_twenty_saves_over_one_revision_one_succeeds_and_no_text_is_lost(api: Api, server: LocalServer) -> None:
    acme = api.found()
    bearer = {"Authorization": f"Bearer {acme.token}"}
    items = f"{server.url}/v1/workspaces/{acme.workspace.id}/items"
    item = httpx.post(items, headers=bearer, json={"path": "a.md", "body": "first"}).json()
    url = f"{items}/{item['id']}"
    bodies_by_revision = {1: "first"}
    for _ in range(3):
        etag = httpx.get(url, headers=bearer).headers["ETag"]
        present = int(etag.strip('"'))

        def save(number: int, etag: str = etag, present: int = present) -> httpx.Response:
            body = {"body": f"by editor {number} over {present}"}
            return httpx.patch(url, headers={**bearer, "If-Match": etag}, json=body, timeout=60)

        with ThreadPoolExecutor(EDITORS) as editors:
            answers = list(editors.map(save, range(EDITORS)))
        won = [answer for answer in answers if answer.status_code == 200]
        lost = [answer for answer in answers if answer.status_code == 412]
        assert (len(won), len(lost)) == (1, EDITORS - 1)
        assert {answer.json()["revision"] for answer in lost} == {present + 1}
        bodies_by_revision[present + 1] = won[0].json()["body"]
    revisions = httpx.get(f"{url}/revisions", headers=bearer).json()["revisions"]
    assert [entry["revision"] for entry in revisions] == [4, 3, 2, 1]
    assert {entry["created_by"] for entry in revisions} == {str(acme.owner.id)}
    kept = {
        number: httpx.get(url, headers=bearer, params={"revision": number}).json()["body"] for number in range(1, 5)
    }
    assert kept == bodies_by_revision


def test_unguarded_saves_at_once_make_one_revision_each(api: Api, server: LocalServer) -> None:
    acme = api.found()
    bearer = {"Authorization": f"Bearer {acme.token}"}
    items = f"{server.url}/v1/workspaces/{acme.workspace.id}/items"
    item = httpx.post(items, headers=bearer, json={"path": "a.md", "body": "first"}).json()
    url = f"{items}/{item['id']}"

    def tag(number: int) -> int:
        body = {"metadata": {f"editor {number}": True}}
        return httpx.patch(url, headers=bearer, json=body, timeout=60).status_code

    with ThreadPoolExecutor(EDITORS) as editors:
        assert set(editors.map(tag, range(EDITORS))) == {200}
    final = httpx.get(url, headers=bearer).json()
    assert (final["revision"], len(final["metadata"])) == (EDITORS + 1, EDITORS)
