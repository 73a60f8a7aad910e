import json
import logging
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
import urllib3

from chalicelib.platform.aws.clients import Clients
from chalicelib.platform.aws.doorbell import SqsDoorbell
from chalicelib.platform.ports import Ring
from tests.fixtures.aws import Aws


class Unreliable:
    """Stands before moto's SQS and answers, with status 200, that it did not take some entries."""

    def __init__(self, behind: str) -> None:
        self.refuse: list[set[str]] = []
        self.batches: list[list[str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = outer._answer(behind + self.path, dict(self.headers), request)
                self.send_response(status)
                self.send_header("Content-Type", "application/x-amz-json-1.0")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def _answer(self, url: str, headers: dict[str, str], request: dict[str, Any]) -> tuple[int, bytes]:
        entries = request["Entries"]
        refused_jobs = self.refuse.pop(0) if self.refuse else set()
        self.batches.append([json.loads(entry["MessageBody"])["job_id"] for entry in entries])
        refused = [entry for entry in entries if json.loads(entry["MessageBody"])["job_id"] in refused_jobs]
        request["Entries"] = [entry for entry in entries if entry not in refused]
        answer: dict[str, Any] = {"Successful": [], "Failed": []}
        if request["Entries"]:
            kept = {name: value for name, value in headers.items() if name.lower() not in {"content-length", "host"}}
            answer |= urllib3.request("POST", url, body=json.dumps(request), headers=kept).json()
        failed = [
            {"Id": e["Id"], "SenderFault": False, "Code": "InternalError", "Message": "try again"} for e in refused
        ]
        return 200, json.dumps({**answer, "Failed": failed}).encode()


@pytest.fixture
def unreliable(aws: Aws) -> Iterator[Unreliable]:
    proxy = Unreliable(aws.endpoint_url)
    thread = Thread(target=proxy.server.serve_forever)
    thread.start()
    yield proxy
    proxy.server.shutdown()
    thread.join()
    proxy.server.server_close()


@pytest.fixture
def doorbell(aws: Aws, unreliable: Unreliable) -> Iterator[SqsDoorbell]:
    clients = Clients(endpoint_url=unreliable.url)
    yield SqsDoorbell(clients, queue_urls_by_kind=aws.queue_urls_by_kind)
    clients.close()


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
    aws: Aws, unreliable: Unreliable, doorbell: SqsDoorbell, caplog: pytest.LogCaptureFixture
) -> None:
    all_rings = rings(10)
    unreliable.refuse = [{str(all_rings[3].job_id)}]
    with caplog.at_level(logging.WARNING):
        doorbell.ring(all_rings)
    assert received(aws) == sorted(str(ring.job_id) for ring in all_rings)
    assert [len(batch) for batch in unreliable.batches] == [10, 1]
    assert caplog.messages == []


def test_what_fails_twice_is_logged_and_left_to_the_sweep(
    aws: Aws, unreliable: Unreliable, doorbell: SqsDoorbell, caplog: pytest.LogCaptureFixture
) -> None:
    all_rings = rings(3)
    lost = str(all_rings[1].job_id)
    unreliable.refuse = [{lost}, {lost}]
    with caplog.at_level(logging.WARNING):
        doorbell.ring(all_rings)
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
