import json
import logging
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ConnectTimeoutError

from chalicelib.platform.aws.doorbell import SqsDoorbell
from chalicelib.platform.ports import Ring
from tests.fixtures.aws import Aws
from tests.fixtures.jobs import MovableClock
from tests.fixtures.unreliable_sqs import Unreliable


def rings(count: int, kind: str = "index_item") -> list[Ring]:
    return [Ring(uuid4(), kind) for _ in range(count)]


def received(aws: Aws, kind: str = "index_item") -> list[str]:
    return sorted(json.loads(r["body"])["job_id"] for r in aws.take_messages(aws.queue_urls_by_kind[kind]))


def test_each_kind_has_its_queue_and_batches_have_ten_at_most(aws: Aws) -> None:
    indexing, extracting = rings(23), rings(2, "extract_upload")
    aws.doorbell().ring([*extracting, *indexing])
    assert received(aws) == sorted(str(ring.job_id) for ring in indexing)
    assert received(aws, "extract_upload") == sorted(str(ring.job_id) for ring in extracting)


def test_an_entry_that_failed_inside_a_good_answer_is_sent_once_more(
    aws: Aws, unreliable: Unreliable, sqs_doorbell: SqsDoorbell, caplog: pytest.LogCaptureFixture
) -> None:
    all_rings = rings(10)
    unreliable.refuse = [{str(all_rings[3].job_id)}]
    with caplog.at_level(logging.WARNING):
        sqs_doorbell.ring(all_rings)
    assert received(aws) == sorted(str(ring.job_id) for ring in all_rings)
    assert [len(batch) for batch in unreliable.batches] == [10, 1]
    assert caplog.messages == []


def test_what_fails_twice_is_logged_and_left_to_the_sweep(
    aws: Aws, unreliable: Unreliable, sqs_doorbell: SqsDoorbell, caplog: pytest.LogCaptureFixture
) -> None:
    all_rings = rings(3)
    lost = str(all_rings[1].job_id)
    unreliable.refuse = [{lost}, {lost}]
    with caplog.at_level(logging.WARNING):
        sqs_doorbell.ring(all_rings)
    assert received(aws) == sorted(str(ring.job_id) for ring in all_rings if str(ring.job_id) != lost)
    assert lost in caplog.text


def test_a_queue_out_of_reach_and_a_kind_without_queue_never_raise(aws: Aws, caplog: pytest.LogCaptureFixture) -> None:
    urls = {"index_item": aws.queue_urls_by_kind["index_item"] + "-gone"}
    (unknown,) = rings(1, "unknown")
    with caplog.at_level(logging.WARNING):
        replace(aws, queue_urls_by_kind=urls).doorbell().ring([*rings(1), unknown])
        replace(aws, queue_urls_by_kind={}).doorbell().ring([])
    assert str(unknown.job_id) in caplog.text
    assert "SQS did not take" in caplog.text


@pytest.mark.parametrize(("after", "seconds"), [(0.2, 1), (40, 40), (3600, 900)])
def test_a_ring_for_a_later_attempt_is_held_back_for_as_long_as_sqs_can(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, after: float, seconds: int
) -> None:
    sent: list[int] = []
    send = aws.clients.sqs.send_message_batch

    def note(**request: Any) -> object:
        sent.extend(entry["DelaySeconds"] for entry in request["Entries"])
        return send(**request)

    monkeypatch.setattr(aws.clients.sqs, "send_message_batch", note)
    aws.doorbell().ring([Ring(uuid4(), "index_item", after=timedelta(seconds=after)), *rings(1)])
    assert sent == [seconds, 0]
    assert len(received(aws)) == 1


def test_announcements_of_half_a_minute_are_one_message_whoever_makes_them(aws: Aws) -> None:
    clock = MovableClock()
    bells = [aws.doorbell(clock=clock) for _ in range(2)]
    assert [bell.announce() for bell in (*bells, *bells)] == [True] * 4
    clock.move(seconds=29)
    assert bells[0].announce()
    assert len(aws.take_messages(aws.sweep_queue_url)) == 1
    clock.move(seconds=1)
    assert [bell.announce() for bell in bells] == [True, True]
    assert len(aws.take_messages(aws.sweep_queue_url)) == 1


def test_what_cannot_be_announced_is_said_and_not_tried_again_at_once(
    aws: Aws, caplog: pytest.LogCaptureFixture
) -> None:
    clock = MovableClock()
    bell = replace(aws, sweep_queue_url=aws.sweep_queue_url.replace("sweep-", "gone-")).doorbell(clock=clock)
    with caplog.at_level(logging.WARNING):
        assert [bell.announce(), bell.announce()] == [False, False]
    assert len(caplog.messages) == 1
    clock.move(seconds=30)
    assert not bell.announce()
    assert len(caplog.messages) == 2


def test_where_sqs_does_not_answer_a_sweep_of_many_rings_ends_with_the_first_batch(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried: list[int] = []

    def stay_away(**request: Any) -> object:
        tried.append(len(request["Entries"]))
        raise ConnectTimeoutError(endpoint_url=request["QueueUrl"])

    monkeypatch.setattr(aws.clients.sqs, "send_message_batch", stay_away)
    with caplog.at_level(logging.WARNING):
        aws.doorbell().ring(rings(1000))
    assert tried == [10]
    assert "1000 rings were not sent" in caplog.text
    assert len(caplog.text) < 10_000


def test_asking_for_the_sweep_and_ringing_come_to_an_end_within_a_request(aws: Aws) -> None:
    config: Any = aws.clients.sqs.meta.config
    attempts = config.retries["total_max_attempts"]
    waits_between = sum(2**number for number in range(attempts - 1))
    assert 2 * (attempts * max(config.connect_timeout, config.read_timeout) + waits_between) < 29
