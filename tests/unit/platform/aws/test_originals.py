import io
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3

from chalicelib.platform.aws.clients import Clients
from chalicelib.platform.aws.originals import S3Originals
from chalicelib.platform.errors import OriginalsUnavailable
from tests.fixtures.aws import Aws

MINUTE = timedelta(minutes=1)


def test_a_presigned_put_and_get_work_with_a_plain_http_client(aws: Aws) -> None:
    originals = S3Originals(aws.clients, bucket=aws.bucket)
    key = "staging/ü 1+1&x/a%2Fb"
    target = originals.presign_put(key, size=5, valid_for=MINUTE)
    with urllib3.PoolManager() as client:
        put = client.request(target.method, target.url, headers=dict(target.headers), body=b"hello")
        url = originals.presign_get(key, filename="ü.txt", media_type="text/plain", valid_for=MINUTE)
        got = client.request("GET", url)
    assert (put.status, got.status, got.data) == (200, 200, b"hello")
    assert got.headers["Content-Disposition"] == "attachment; filename=\"_.txt\"; filename*=UTF-8''%C3%BC.txt"
    assert got.headers["Content-Type"] == "text/plain"


@pytest.mark.usefixtures("aws_credentials")
def test_a_presigned_put_signs_the_length_and_no_checksum_of_a_body_unseen() -> None:
    originals = S3Originals(Clients(), bucket="a-bucket")
    target = originals.presign_put("a/b", size=5, valid_for=MINUTE)
    query = parse_qs(urlsplit(target.url).query)
    assert query["X-Amz-SignedHeaders"] == ["content-length;host"]
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert query["X-Amz-Expires"] == ["60"]
    assert not [name for name in query if "checksum" in name.lower()]
    assert target.headers == {"Content-Length": "5"}
    assert timedelta(seconds=50) < target.expires_at - datetime.now(UTC) <= MINUTE


@pytest.mark.usefixtures("aws_credentials")
def test_presigned_urls_name_the_region_and_the_bucket_as_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for region in ("eu-central-1", "us-east-1"):
        monkeypatch.setenv("AWS_DEFAULT_REGION", region)
        target = S3Originals(Clients(), bucket="a-bucket").presign_put("a/b", size=5, valid_for=MINUTE)
        assert urlsplit(target.url).netloc == f"a-bucket.s3.{region}.amazonaws.com"
        assert urlsplit(target.url).path == "/a/b"


def test_a_missing_bucket_and_a_closed_port_are_told_as_out_of_reach(aws: Aws) -> None:
    with pytest.raises(OriginalsUnavailable, match="NoSuchBucket"):
        S3Originals(aws.clients, bucket="no-such-bucket").put("a", io.BytesIO(b"x"))
    clients = Clients(endpoint_url="http://127.0.0.1:9")
    with pytest.raises(OriginalsUnavailable, match="out of reach"):
        S3Originals(clients, bucket="a-bucket").put("a", io.BytesIO(b"x"))
    clients.close()
