"""The events that Amazon S3 would send of what is stored locally, in the same shape."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

LOCAL_BUCKET = "local"


def sequencer(moment: datetime) -> str:
    """Return the order of an event as S3 gives it: hexadecimal, later is greater."""
    return f"{int(moment.timestamp() * 1_000_000) * 1000:016X}"


def object_created(key: str, *, size: int, sequencer: str, now: datetime) -> Mapping[str, Any]:
    """Return the SQS event of one `Object Created` that came through EventBridge.

    The shape is that of https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html as body of a
    record of https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html; the key stands in it unencoded.
    """
    body = {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": "Object Created",
        "source": "aws.s3",
        "account": "000000000000",
        "time": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": "local",
        "resources": [f"arn:aws:s3:::{LOCAL_BUCKET}"],
        "detail": {
            "version": "0",
            "bucket": {"name": LOCAL_BUCKET},
            "object": {"key": key, "size": size, "sequencer": sequencer},
            "reason": "PutObject",
        },
    }
    record = {
        "messageId": str(uuid4()),
        "receiptHandle": "local",
        "body": json.dumps(body),
        "attributes": {"ApproximateReceiveCount": "1"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:local:000000000000:originals",
        "awsRegion": "local",
    }
    return {"Records": [record]}
