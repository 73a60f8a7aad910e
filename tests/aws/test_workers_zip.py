"""The workers out of their zip, run as Lambda runs them: an object in the bucket becomes an answer."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

from infra.environment import environment_of
from infra.packaging.package import build_package
from infra.packaging.target import Target
from infra.queues import DELIVERIES
from infra.workers import TRADES
from tests.fixtures.aws import sqs_event
from tests.fixtures.journey import DONE, Journey
from tests.fixtures.lambda_runtime import LambdaFunction
from tests.fixtures.reception import object_created

pytest.importorskip("awslambdaric", reason="needs Lambda's runtime client")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PATHS_AND_WORDS = [("q1 + q2/überblick (1).md", "ferry"), ("x%2By.md", "tram")]
TRAVEL = "# Travel\n\nEmployees are reimbursed for railway tickets within ten days.\n"


@pytest.fixture(scope="session")
def package() -> Path:
    """Return the shared zip, for the Python and the processor that run the tests."""
    return build_package(Target.of_host())


class Stage:
    """The four functions of the workers, with what SQS and EventBridge would bring them."""

    def __init__(self, journey: Journey, functions: Mapping[str, LambdaFunction]) -> None:
        self.journey = journey
        self.functions = functions

    def drop(self, path: str, text: str) -> None:
        """Put a file into the bucket and let its event go all the way."""
        self.journey.put(f"drop/acme/{path}", text)
        self.answered("originals", sqs_event(object_created(f"drop/acme/{path}")))
        self.answered("intake", {"Records": self._taken("extract_upload")})
        self.answered("index", {"Records": self._taken("index_item")})

    def answered(self, name: str, event: Mapping[str, Any]) -> None:
        assert event.get("Records", [None])
        done = self.functions[name].invoke(event)
        assert (done.is_error, done.result) == (False, DONE), done.log

    def _taken(self, kind: str) -> list[dict[str, Any]]:
        return self.journey.aws.take_messages(self.journey.aws.queue_urls_by_kind[kind])

    def rounds(self) -> list[dict[str, Any]]:
        return self.journey.aws.take_messages(self.journey.aws.sweep_queue_url)


@pytest.fixture
def stage(journey: Journey, package: Path, lambda_function: Callable[..., LambdaFunction]) -> Stage:
    settings = journey.wired.settings
    told = ("database_url", "originals_bucket", "intake_queue_url", "index_queue_url", "sweep_queue_url")
    shared = {name: getattr(settings, name) for name in (*told, "secret_prefix", "aws_endpoint_url", "embedder")}
    functions = {
        name: lambda_function(
            trade.handler,
            task_root=package,
            name=f"lorebase-test-{name}",
            memory_mib=trade.memory_mib,
            timeout=DELIVERIES[name].timeout_seconds,
            environment=environment_of(
                **{**shared, **(trade.settings or {})}, platform="aws", database_pool_size=trade.pool, workers=1
            ),
        )
        for name, trade in TRADES.items()
    }
    return Stage(journey, functions)


def _end_backends(conninfo: str) -> int:
    """End every session of the database but this one, as the server does with those of frozen functions."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        ended = connection.execute(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        ).fetchone()
    assert ended is not None
    return int(ended[0])


def test_a_dropped_file_is_found_and_functions_outlive_their_sessions(stage: Stage, conninfo: str) -> None:
    stage.drop("travel.md", TRAVEL)
    assert stage.journey.found("railway") == [("travel.md", 1)]
    living = {name: function.process_id for name, function in stage.functions.items()}

    assert _end_backends(conninfo) > 0
    for path, word in PATHS_AND_WORDS:  # D-ING-1
        stage.drop(path, TRAVEL.replace("railway", word))
        assert stage.journey.found(word) == [(path, 1)]
    assert {name: function.process_id for name, function in stage.functions.items()} == living


def test_rounds_of_the_sweep_go_on_while_a_job_is_open_and_then_end(stage: Stage) -> None:
    stage.journey.put("drop/acme/travel.md", TRAVEL)
    stage.answered("originals", sqs_event(object_created("drop/acme/travel.md")))
    asked = stage.rounds()
    assert len(asked) == 1
    lost = stage._taken("extract_upload")
    assert len(lost) == 1

    stage.answered("sweep", {"Records": asked})
    assert [record["body"] for record in stage._taken("extract_upload")] == [record["body"] for record in lost]

    stage.answered("intake", {"Records": lost})
    stage.answered("index", {"Records": stage._taken("index_item")})
    stage.rounds()
    stage.answered("sweep", {"source": "lorebase.schedule"})
    assert stage.rounds() == []
    assert stage.journey.found("railway") == [("travel.md", 1)]
