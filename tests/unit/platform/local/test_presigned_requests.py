import io
import json
from datetime import UTC, datetime, timedelta
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from chalicelib.platform.errors import OriginalNotFound, OriginalSizeMismatch, PresignedUrlRefused
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigned_requests import PresignedRequests
from chalicelib.platform.local.presigning import Presigner
from chalicelib.platform.ports import StoredOriginal

if TYPE_CHECKING:
    from collections.abc import Mapping

MINUTE = timedelta(minutes=1)
KEY = "staging/ü 1+1&size=9/a%2Fb?#"


class MovedClock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


class Store:
    """A store with its requests, a clock to move, and the events that were emitted."""

    def __init__(self, folder: Path) -> None:
        self.clock = MovedClock()
        self.events: list[Mapping[str, Any]] = []
        presigner = Presigner(b"signing", address=lambda: "http://127.0.0.1:8000", clock=self.clock)
        self.originals = LocalOriginals(folder, presigner=presigner)
        self.requests = PresignedRequests(
            self.originals, presigner=presigner, clock=self.clock, emit=self.events.append
        )

    def put(self, url: str, body: bytes, *, announced: int | None = None) -> StoredOriginal:
        headers = {"content-length": str(len(body) if announced is None else announced)}
        return self.requests.handle_put(url, headers, io.BytesIO(body))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_a_put_stores_the_body_and_tells_of_it_as_s3_would(store: Store) -> None:
    target = store.originals.presign_put(KEY, size=5, valid_for=MINUTE)
    assert (target.method, target.headers) == ("PUT", {"Content-Length": "5"})
    assert target.expires_at == store.clock.now() + MINUTE
    assert store.put(target.url, b"hello") == StoredOriginal(KEY, 5)
    with store.originals.open(KEY) as content:
        assert content.read() == b"hello"
    (event,) = store.events
    (record,) = event["Records"]
    body = json.loads(record["body"])
    assert (body["source"], body["detail-type"]) == ("aws.s3", "Object Created")
    assert (body["detail"]["object"]["key"], body["detail"]["object"]["size"]) == (KEY, 5)


def test_later_puts_have_greater_sequencers(store: Store) -> None:
    for _ in range(2):
        store.put(store.originals.presign_put("a", size=1, valid_for=MINUTE).url, b"x")
        store.clock.moment += timedelta(milliseconds=1)
    first, second = (json.loads(event["Records"][0]["body"])["detail"]["object"]["sequencer"] for event in store.events)
    assert first < second


@pytest.mark.parametrize(
    ("body", "announced"), [(b"four", None), (b"sixsix", None), (b"four", 5)], ids=["short", "long", "cut off"]
)
def test_another_size_than_the_signed_one_is_refused_and_nothing_stored(
    store: Store, body: bytes, announced: int | None
) -> None:
    url = store.originals.presign_put("a", size=5, valid_for=MINUTE).url
    with pytest.raises(OriginalSizeMismatch):
        store.put(url, body, announced=announced)
    with pytest.raises(OriginalSizeMismatch):
        store.requests.handle_put(url, {"transfer-encoding": "chunked"}, io.BytesIO(body))
    assert list(store.originals.walk("")) == []
    assert store.events == []


def test_no_more_than_the_announced_bytes_are_read(store: Store) -> None:
    url = store.originals.presign_put("a", size=5, valid_for=MINUTE).url
    connection = io.BytesIO(b"helloGET /next")
    store.requests.handle_put(url, {"content-length": "5"}, connection)
    assert connection.read() == b"GET /next"


def test_an_expired_url_is_refused(store: Store) -> None:
    put = store.originals.presign_put("a", size=1, valid_for=MINUTE).url
    get = store.originals.presign_get("a", filename="a", media_type="", valid_for=MINUTE)
    store.clock.moment += MINUTE
    with pytest.raises(PresignedUrlRefused, match="expired"):
        store.put(put, b"x")
    with pytest.raises(PresignedUrlRefused, match="expired"):
        store.requests.handle_get(get)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("size=1", "size=2"),
        ("key=a", "key=b"),
        ("expires=1", "expires=2"),
        ("signature=", "signature=0"),
        ("signature=", "unsigned="),
        ("key=a", "key=%FF"),
        ("expires=", "expires=x"),
        ("signature=", "signature=%C3%BC"),
    ],
)
def test_a_forged_url_is_refused(store: Store, old: str, new: str) -> None:
    url = store.originals.presign_put("a", size=1, valid_for=MINUTE).url
    assert old in url
    with pytest.raises(PresignedUrlRefused):
        store.put(url.replace(old, new), b"x")


def test_a_url_for_reading_does_not_write_nor_the_other_way_round(store: Store) -> None:
    store.originals.put("a", io.BytesIO(b"x"))
    with pytest.raises(PresignedUrlRefused):
        store.put(store.originals.presign_get("a", filename="a", media_type="", valid_for=MINUTE), b"")
    with pytest.raises(PresignedUrlRefused):
        store.requests.handle_get(store.originals.presign_put("a", size=1, valid_for=MINUTE).url)


def test_a_key_of_another_store_signs_nothing_here(store: Store) -> None:
    other = Presigner(b"other", address=lambda: "http://127.0.0.1:8000", clock=store.clock)
    with pytest.raises(PresignedUrlRefused):
        store.put(other.presign_put("a", size=1, valid_for=MINUTE).url, b"x")


@pytest.mark.parametrize(
    "filename", ["plain.txt", 'ü "quoted".pdf', "a;b\r\nSet-Cookie: x", "日本語.md", "../../x", ""]
)
def test_a_get_is_a_download_under_its_name(store: Store, filename: str) -> None:
    store.originals.put("a", io.BytesIO(b"<script>"))
    url = store.originals.presign_get("a", filename=filename, media_type="text/html", valid_for=MINUTE)
    download = store.requests.handle_get(url)
    with download.content as content:
        assert content.read() == b"<script>"
    assert download.headers["Content-Length"] == "8"
    assert download.headers["X-Content-Type-Options"] == "nosniff"
    disposition = download.headers["Content-Disposition"]
    assert disposition.startswith("attachment; ")
    assert disposition.isascii()
    assert "\r" not in disposition
    expected = filename.replace("/", "_") or "download"
    assert unquote(disposition.partition("filename*=UTF-8''")[2]) == expected
    parsed = Message()
    parsed["Content-Disposition"] = disposition
    assert parsed.get_filename() is not None


def test_a_get_of_what_is_gone_says_so(store: Store) -> None:
    url = store.originals.presign_get("a", filename="a", media_type="", valid_for=MINUTE)
    with pytest.raises(OriginalNotFound):
        store.requests.handle_get(url).content.__enter__()
