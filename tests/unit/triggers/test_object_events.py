import json
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.triggers.object_events import ObjectCreated, read_object_events

EVENTS = Path(__file__).parents[2] / "triggers" / "events"


def recorded(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    return event


def read(event: object) -> list[ObjectCreated]:
    return list(read_object_events(json.dumps(event)))


def test_an_event_through_event_bridge_bears_its_key_as_it_is() -> None:
    (created,) = read(recorded("eventbridge_object_created"))
    assert created.key == "drop/acme/q1 + q2/überblick (1).pdf"
    assert created.size == 5
    assert created.sequencer == "617F08299329D189" + "0" * 48


def test_an_event_of_the_bucket_bears_its_key_form_encoded() -> None:
    (created,) = read(recorded("bucket_object_created"))
    assert created.key == "drop/acme/q1 + q2/überblick (1).pdf"
    assert created.size == 1024


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_key_is_decoded_exactly_once(key: str) -> None:
    through_event_bridge, of_bucket = recorded("eventbridge_object_created"), recorded("bucket_object_created")
    through_event_bridge["detail"]["object"]["key"] = key
    of_bucket["Records"][0]["s3"]["object"]["key"] = quote_plus(key)
    assert [created.key for created in read(through_event_bridge) + read(of_bucket)] == [key, key]


@pytest.mark.parametrize("name", ["eventbridge_object_deleted", "bucket_test"])
def test_other_events_tell_of_nothing(name: str) -> None:
    assert read(recorded(name)) == []


def test_a_removal_told_by_the_bucket_tells_of_nothing() -> None:
    event = recorded("bucket_object_created")
    event["Records"][0]["eventName"] = "ObjectRemoved:Delete"
    assert read(event) == []


def test_sequencers_of_different_length_compare_as_s3_asks_for() -> None:
    event = recorded("eventbridge_object_created")
    sequencers = []
    for sequencer in ("0055AED6DCD90281E5", "0055aed6dcd90281e501", "0055AED6DCD90281E6"):
        event["detail"]["object"]["sequencer"] = sequencer
        sequencers += [created.sequencer for created in read(event)]
    assert sequencers == sorted(sequencers)
    assert len(set(sequencers)) == 3


def test_events_without_a_sequencer_are_ordered_by_their_time() -> None:
    event = recorded("eventbridge_object_created")
    del event["detail"]["object"]["sequencer"]
    (first,) = read(event)
    (second,) = read({**event, "time": "2021-11-12T00:00:01Z"})
    assert first.sequencer < second.sequencer


@pytest.mark.parametrize("body", ["", "{}", "[]", "null", '{"Records": [{}]}', '{"source": "aws.s3"}', '"x"'])
def test_what_is_no_event_raises(body: str) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        list(read_object_events(body))
