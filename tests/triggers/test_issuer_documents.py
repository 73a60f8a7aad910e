"""The function that fetches issuers' documents: it starts light, answers what it cannot do, and lets nothing slip."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from chalicelib.telemetry.log_lines import write_log_lines
from chalicelib.triggers import issuer_documents
from chalicelib.triggers.issuer_documents import FetchFailed, handle
from infra.packaging.sources import source_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[StringIO]:
    """What the function logs; lines go back to where they went before."""
    stream, root = StringIO(), logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def write(formatter: logging.Formatter, *, level: str) -> None:
        write_log_lines(formatter, level=level, stream=stream)

    monkeypatch.setattr(issuer_documents, "write_log_lines", write)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def test_it_loads_neither_database_nor_aws() -> None:
    heavy = ("boto3", "botocore", "psycopg", "pydantic", "jwt", "cryptography", "chalice")
    code = f"import sys, chalicelib.triggers.issuer_documents; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_the_package_holds_it_and_what_it_needs() -> None:
    needed = ("triggers/issuer_documents.py", "platform/public_documents.py", "platform/public_address.py")
    assert {Path("chalicelib") / each for each in needed} <= set(source_files())


@pytest.mark.parametrize("event", [{}, {"url": 5}, {"url": ["https://a.invalid"]}, {"url": "https://[::1"}])
def test_what_is_no_request_is_refused_in_an_answer(said: StringIO, event: dict[str, object]) -> None:
    answer = handle({**event, "correlation_id": "c-1"})
    assert answer["error"]["type"] == "issuer-document-refused"
    assert '"correlation_id": "c-1"' in said.getvalue()


def test_it_never_takes_what_lies_on_its_own_machine(said: StringIO) -> None:
    for url in ("http://127.0.0.1:9001/2018-06-01/runtime/invocation/next", "https://127.0.0.1/", "https://[::1]/"):
        assert handle({"url": url})["error"]["type"] == "issuer-document-refused"
    assert said.getvalue()


def test_a_defect_is_raised_without_its_message(said: StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_url: str) -> None:
        raise KeyError("a-secret-of-the-tests")

    monkeypatch.setattr(issuer_documents, "fetch_document", fail)
    with pytest.raises(FetchFailed) as raised:
        handle({"url": "https://a.invalid/"})
    assert "a-secret" not in str(raised.value) + said.getvalue()
