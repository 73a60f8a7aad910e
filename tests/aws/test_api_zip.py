"""The API from the very zip that is deployed, on Lambda's runtime client, with nothing else installed in its sight."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from infra.packaging.package import build_package
from infra.packaging.target import Target
from tests.fixtures.gateway_events import gateway_event
from tests.fixtures.journey import Journey
from tests.fixtures.lambda_runtime import Invocation, LambdaFunction, RequestTooLarge

pytest.importorskip("awslambdaric", reason="needs Lambda's runtime client")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

WORKSPACE = "/v1/workspaces/{workspace_id}"
TRAVEL = b"# Travel\n\nEmployees are reimbursed for railway tickets within ten days.\n"
REQUEST_BYTES = 4_400_000
ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024


class DeployedApi:
    """The function of the API of a journey's deployment."""

    def __init__(self, function: LambdaFunction, journey: Journey) -> None:
        self.function = function
        self.journey = journey

    def invoke(self, method: str, below: str, **options: Any) -> Invocation:
        acme = self.journey.foundation
        values = {"workspace_id": acme.workspace.id, **options.pop("values", {})}
        return self.function.invoke(gateway_event(method, below, key=acme.token, values=values, **options))

    def ask(self, method: str, below: str, **options: Any) -> tuple[int, Any]:
        done = self.invoke(method, WORKSPACE + below, **options)
        assert not done.is_error, done.log
        answer = done.result
        return answer["statusCode"], json.loads(answer["body"]) if answer["body"] else None


@pytest.fixture(scope="session")
def package() -> Path:
    return build_package(Target.of_host())


@pytest.fixture
def deployed(package: Path, journey: Journey, lambda_function: Callable[..., LambdaFunction]) -> Iterator[DeployedApi]:
    function = lambda_function("app.app", task_root=package, environment=environment_of(journey), timeout=29)
    yield DeployedApi(function, journey)
    function.stop()


def environment_of(journey: Journey) -> Mapping[str, str]:
    settings = journey.wired.settings
    same = ("database_url", "originals_bucket", "intake_queue_url", "index_queue_url", "sweep_queue_url")
    variables = {f"LOREBASE_{name.upper()}": str(getattr(settings, name)) for name in same}
    return {
        **variables,
        "LOREBASE_PLATFORM": "aws",
        "LOREBASE_EMBEDDER": "none",
        "LOREBASE_SECRET_PREFIX": settings.secret_prefix,
        "LOREBASE_AWS_ENDPOINT_URL": settings.aws_endpoint_url,
        "LOREBASE_REQUEST_BYTES": str(REQUEST_BYTES),
        "LOREBASE_ANSWER_BYTES": str(ANSWER_BYTES),
        "LOREBASE_DATABASE_POOL_SIZE": "2",
    }


def test_it_tells_that_it_can_serve_and_which_version_it_is(deployed: DeployedApi) -> None:
    done = deployed.invoke("GET", "/v1/health")
    health = json.loads(done.result["body"])
    assert (done.result["statusCode"], health["status"], health["database"]) == (200, "ok", "ok")
    assert health["version"] != "0"
    assert done.start is not None


def test_an_upload_goes_to_the_bucket_and_what_it_says_is_found(deployed: DeployedApi) -> None:
    body = json.dumps({"path": "travel.md", "bytes": len(TRAVEL)}).encode()
    status, started = deployed.ask("POST", "/uploads", body=body)
    assert status == 201
    target = started["target"]
    sent = httpx.request(target["method"], target["url"], content=TRAVEL, headers=target["headers"])
    assert sent.status_code == 200
    values = {"upload_id": started["upload"]["id"]}
    status, completed = deployed.ask("POST", "/uploads/{upload_id}/complete", values=values)
    assert status == 202, completed
    deployed.journey.drain()
    status, answer = deployed.ask("GET", "/search", query={"q": "railway tickets reimbursed"})
    assert (status, [hit["path"] for hit in answer["hits"]]) == (200, ["travel.md"])


def test_bytes_that_come_directly_are_those_that_were_sent(deployed: DeployedApi) -> None:
    content = "# Grüße\r\n\t\u2028日本語\n".encode() * 20_000
    status, _ = deployed.ask(
        "POST",
        "/uploads/direct",
        query={"path": "greetings.md"},
        body=content,
        content_type="application/octet-stream",
    )
    assert status == 202
    [kept] = deployed.journey.wired.originals.walk("staging/")
    with deployed.journey.wired.originals.open(kept.key) as original:
        assert original.read() == content


def test_the_largest_direct_upload_fits_and_a_larger_one_is_a_problem(deployed: DeployedApi) -> None:
    options = {"query": {"path": "large.md"}, "content_type": "application/octet-stream"}
    assert deployed.ask("POST", "/uploads/direct", body=b"x" * REQUEST_BYTES, **options)[0] == 202
    status, problem = deployed.ask("POST", "/uploads/direct", body=b"x" * (REQUEST_BYTES + 1), **options)
    assert (status, problem["type"]) == (413, "urn:lorebase:problem:request-too-large")
    with pytest.raises(RequestTooLarge):
        deployed.ask("POST", "/uploads/direct", body=b"x" * 6_000_000, **options)


@pytest.mark.parametrize("text", ["plain words ", '"quoted"\n', "schön und gut ", "\\\t\u0001"])
def test_the_largest_answer_reaches_the_client_and_a_larger_one_is_a_problem(deployed: DeployedApi, text: str) -> None:
    escaped = len(json.dumps(json.dumps(text, ensure_ascii=False)[1:-1], ensure_ascii=False).encode()) - 2
    fits = text * ((ANSWER_BYTES - 4_000) // escaped)
    assert stored_and_read(deployed, "fits.md", fits) == (200, fits)
    too_large = text * ((ANSWER_BYTES + 4_000) // escaped)
    status, problem = stored_and_read(deployed, "too-large.md", too_large)
    assert (status, problem) == (413, "urn:lorebase:problem:answer-too-large")


def stored_and_read(deployed: DeployedApi, path: str, body: str) -> tuple[int, str]:
    """Put an item past the API, which could not answer it either, and read it."""
    status, made = deployed.ask("POST", "/items", body=json.dumps({"path": path, "body": "short"}).encode())
    assert status == 201
    run(
        deployed.journey,
        "update bodies set body = %(body)s from revisions as r"
        " where r.item_id = %(item)s and r.owner_id = bodies.owner_id and r.body_sha256 = bodies.sha256",
        item=made["id"],
        body=body,
    )
    status, answer = deployed.ask("GET", "/items/{item_id}", values={"item_id": made["id"]})
    return status, answer["body"] if status == 200 else answer["type"]


def test_what_goes_wrong_is_a_problem_under_the_gateways_request_id(deployed: DeployedApi) -> None:
    done = deployed.invoke("GET", WORKSPACE + "/items/{item_id}", values={"item_id": "none"})
    answer = done.result
    assert answer["statusCode"] == 404
    assert answer["headers"]["Content-Type"] == "application/problem+json"
    request_id = answer["headers"]["X-Request-Id"]
    assert json.loads(answer["body"])["instance"] == f"urn:lorebase:request:{request_id}"
    assert request_id in done.log


def test_a_connection_that_was_cut_between_two_requests_is_replaced(deployed: DeployedApi) -> None:
    assert deployed.ask("GET", "/items")[0] == 200
    process = deployed.function.process_id
    assert cut_connections(deployed.journey) >= 1
    assert deployed.ask("GET", "/items")[0] == 200
    assert deployed.function.process_id == process


def test_a_request_that_died_in_its_transaction_leaves_nothing_to_the_next(deployed: DeployedApi) -> None:
    run(deployed.journey, "alter table items add constraint no_poison check (path <> 'poison.md')")
    body = json.dumps({"path": "poison.md", "body": "x"}).encode()
    status, problem = deployed.ask("POST", "/items", body=body)
    assert (status, problem["type"]) == (500, "urn:lorebase:problem:internal-error")
    process = deployed.function.process_id
    assert deployed.ask("POST", "/items", body=json.dumps({"path": "good.md", "body": "x"}).encode())[0] == 201
    _, listed = deployed.ask("GET", "/items")
    assert [item["path"] for item in listed["items"]] == ["good.md"]
    assert deployed.function.process_id == process


def cut_connections(journey: Journey) -> int:
    """End every session of the database but the one that does it, as Aurora does with those that idle."""
    return run(
        journey,
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()",
    )


def run(journey: Journey, statement: str, **parameters: object) -> int:
    """Run a statement past the API and return how many rows it met."""
    with psycopg.connect(journey.wired.settings.database_url, autocommit=True) as connection:
        return connection.execute(statement.encode(), parameters).rowcount
