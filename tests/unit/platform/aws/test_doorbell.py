import json
import logging
from uuid import uuid4

import pytest

from chalicelib.platform.aws.doorbell import SqsDoorbell
from chalicelib.platform.ports import Ring
from tests.fixtures.aws import Aws
from tests.fixtures.unreliable_sqs import Unreliable


def rings(count: int, kind: str = "index_item") -> list[Ring]:
    return [Ring(uuid4(), kind) for _ in range(count)]


def received(aws: Aws, kind: str = "index_item") -> list[str]:
    return sorted(json.loads(r["body"])["job_id"] for r in aws.take_messages(aws.queue_urls_by_kind[kind]))


def test_each_kind_has_its_queue_and_batches_have_ten_at_most(aws: Aws) -> None:
    indexing, extracting = rings(23), rings(2, "extract_upload")
    SqsDoorbell(aws.clients, queue_urls_by_kind=aws.queue_urls_by_kind).ring([*extracting, *indexing])
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
        SqsDoorbell(aws.clients, queue_urls_by_kind=urls).ring([*rings(1), unknown])
        SqsDoorbell(aws.clients, queue_urls_by_kind={}).ring([])
    assert str(unknown.job_id) in caplog.text
    assert "SQS did not take" in caplog.text
