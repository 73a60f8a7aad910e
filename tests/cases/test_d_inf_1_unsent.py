"""D-INF-1: an entry that SQS lists as failed in a good answer is sent again."""

import json
from uuid import uuid4

from chalicelib.platform.aws.doorbell import SqsDoorbell
from chalicelib.platform.ports import Ring
from tests.fixtures.aws import Aws
from tests.fixtures.unreliable_sqs import Unreliable


def test_the_unsent_entry_of_a_batch_of_ten_is_sent_again(
    aws: Aws, unreliable: Unreliable, sqs_doorbell: SqsDoorbell
) -> None:
    rings = [Ring(uuid4(), "index_item") for _ in range(10)]
    unreliable.refuse = [{str(rings[6].job_id)}]
    sqs_doorbell.ring(rings)
    received = [
        json.loads(record["body"])["job_id"] for record in aws.take_messages(aws.queue_urls_by_kind["index_item"])
    ]
    assert sorted(received) == sorted(str(ring.job_id) for ring in rings)
