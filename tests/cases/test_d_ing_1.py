"""D-ING-1: the key of a stored object arrives form-encoded, or not, and is decoded exactly once."""

import pytest

from tests.fixtures.journey import Journey, bucket_event
from tests.fixtures.reception import object_created


@pytest.mark.parametrize("shape", ["EventBridge", "bucket"])
def test_both_objects_are_fetched_indexed_and_found_under_their_true_keys(journey: Journey, shape: str) -> None:
    paths = ["q1 + q2/überblick (1).txt", "x%2By.txt"]
    for path in paths:
        journey.put(f"drop/acme/{path}", f"railway tickets of {len(path)} employees")
    event = object_created if shape == "EventBridge" else bucket_event
    journey.tell(*(event(f"drop/acme/{path}") for path in paths))
    journey.drain()
    assert sorted(journey.found("railway")) == [(path, 1) for path in sorted(paths)]
