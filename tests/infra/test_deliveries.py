"""D-INF-2: a queue hides a message for as long as the work may take, and dead letters are kept longer."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from infra.queues import DELIVERIES
from infra.workers import INTAKE_MEMORY_MIB, PARSE_MEMORY_MIB, PARSE_SECONDS
from tests.fixtures.deliveries import Resources, faults_of_deliveries, queues_with_functions

Change = Callable[[dict[str, Any]], object]


def test_every_queue_leaves_its_function_the_time_it_needs(resources: Resources) -> None:
    assert faults_of_deliveries(resources) == []
    assert len(queues_with_functions(resources)) == len(DELIVERIES)


def _queue(changed: dict[str, Any]) -> dict[str, Any]:
    name = next(name for name in queues_with_functions(changed) if "Index" in name)
    properties: dict[str, Any] = changed[name]["Properties"]
    return properties


def _mapping(changed: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = next(
        resource["Properties"]
        for name, resource in changed.items()
        if resource["Type"] == "AWS::Lambda::EventSourceMapping" and "Index" in name
    )
    return properties


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda changed: _queue(changed).update(VisibilityTimeout=1799), "is hidden for 1799 s, not 1800 s"),
        (lambda changed: _mapping(changed).update(MaximumBatchingWindowInSeconds=1), "not 1801 s"),
        (lambda changed: _mapping(changed).pop("FunctionResponseTypes"), "whole batch"),
        (lambda changed: _mapping(changed).pop("ScalingConfig"), "as many run at once"),
        (lambda changed: _queue(changed).pop("RedrivePolicy"), "no dead letter queue"),
        (lambda changed: _queue(changed)["RedrivePolicy"].update(maxReceiveCount=1), "after 1 receives"),
        (lambda changed: _queue(changed).update(MessageRetentionPeriod=1_209_600), "no longer"),
        (lambda changed: _queue(changed).update(FifoQueue=True), "not of the queue's kind"),
    ],
)
def test_the_rules_see_what_breaks_them(resources: Resources, change: Change, fault: str) -> None:
    changed = deepcopy(dict(resources))
    change(changed)
    assert any(fault in found for found in faults_of_deliveries(changed))


def test_a_parse_ends_by_its_own_limits_before_its_function_does() -> None:
    from chalicelib.intake.sandbox import START_SECONDS  # noqa: PLC0415 - parsers, of which infra knows nothing

    moving = 120.0  # what an original of 200 MB may take there and back, and a database to wake up
    assert START_SECONDS + PARSE_SECONDS + moving <= DELIVERIES["intake"].timeout_seconds
    parent = 640  # the interpreter, a connection, and four parts of an upload of 16 MiB each
    assert PARSE_MEMORY_MIB + parent <= INTAKE_MEMORY_MIB
