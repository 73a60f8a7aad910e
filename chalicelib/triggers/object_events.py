"""Reads what S3 tells of new objects, whether it comes through EventBridge or from the bucket itself."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import unquote_plus

_SEQUENCER_LETTERS = 64


@dataclass(frozen=True, slots=True)
class ObjectCreated:
    """One new object: its true key, its size in bytes, and its place in the order of the key's events.

    Sequencers of one key compare as text, a greater one is later.
    """

    key: str
    size: int
    sequencer: str


def read_object_events(body: str) -> Iterator[ObjectCreated]:
    """Yield the new objects that the body of one SQS message tells of; other events yield nothing.

    Raises KeyError, TypeError or ValueError where it is no event of S3.
    """
    event = json.loads(body)
    if "Records" in event:
        yield from _from_bucket(event["Records"])
    elif event.get("Event") == "s3:TestEvent":
        return  # S3 sends one whenever notifications are set up.
    elif event["source"] == "aws.s3" and event["detail-type"] == "Object Created":
        yield _from_event_bridge(event)


def _from_event_bridge(event: Mapping[str, Any]) -> ObjectCreated:
    """Read https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html, whose key is not encoded."""
    created = event["detail"]["object"]
    return ObjectCreated(created["key"], created["size"], _sequencer(created.get("sequencer"), event["time"]))


def _from_bucket(records: list[Mapping[str, Any]]) -> Iterator[ObjectCreated]:
    """Read https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html.

    Its key is form-encoded: decoded once, with plus as blank.
    """
    for record in records:
        if not record["eventName"].removeprefix("s3:").startswith("ObjectCreated:"):
            continue
        created = record["s3"]["object"]
        key = unquote_plus(created["key"], errors="strict")
        yield ObjectCreated(key, created["size"], _sequencer(created.get("sequencer"), record["eventTime"]))


def _sequencer(sequencer: str | None, time: str) -> str:
    """Return the sequencer so that it compares as text: the shorter of two is filled with zeros on the right.

    https://repost.aws/knowledge-center/s3-duplicate-sqs-messages; stores that send none are ordered by time.
    """
    if sequencer is None:
        sequencer = f"{int(datetime.fromisoformat(time).timestamp() * 1_000_000):016X}"
    return sequencer.upper().ljust(_SEQUENCER_LETTERS, "0")
