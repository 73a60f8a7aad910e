"""What fetches issuers' documents, held on both sides; the function's handler is the real one, behind JSON."""

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from chalicelib.platform import public_documents
from chalicelib.platform.aws.issuer_documents import LambdaIssuerDocuments
from chalicelib.platform.errors import IssuerDocumentRefused, IssuerUnavailable
from chalicelib.platform.local.issuer_documents import DirectIssuerDocuments
from chalicelib.platform.ports import IssuerDocuments
from chalicelib.telemetry.correlation import correlated
from chalicelib.triggers import issuer_documents
from tests.fixtures.issuers import JWKS, METADATA, Answer, Issuer, first_key, issuer

__all__ = ["first_key", "issuer"]


class InvokedHandler:
    """Calls the function's handler as Lambda does: bytes in, bytes out, an error as an answer that is marked."""

    def __init__(self) -> None:
        self.requests: list[Mapping[str, Any]] = []

    @property
    def functions(self) -> "InvokedHandler":
        return self

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - boto3's names
        assert FunctionName == "issuers"
        self.requests.append(json.loads(Payload))
        try:
            answer: dict[str, Any] = {
                "Payload": io.BytesIO(json.dumps(issuer_documents.handle(json.loads(Payload))).encode())
            }
        except issuer_documents.FetchFailed as error:
            answer = {
                "FunctionError": "Unhandled",
                "Payload": io.BytesIO(json.dumps({"errorMessage": str(error)}).encode()),
            }
        return {"StatusCode": 200, **answer}


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> InvokedHandler:
    """The function, whose internet is this machine; it never takes plain http there."""
    fetch = public_documents.fetch_document
    monkeypatch.setattr(issuer_documents, "fetch_document", lambda url: fetch(url, takes_loopback=True))
    monkeypatch.setattr(issuer_documents, "write_log_lines", lambda *_, **__: None)
    return InvokedHandler()


@pytest.fixture(params=["local", "aws"])
def either(request: pytest.FixtureRequest, function: InvokedHandler) -> Iterator[IssuerDocuments]:
    if request.param == "local":
        yield DirectIssuerDocuments(takes_loopback=True)
    else:
        yield LambdaIssuerDocuments(function, "issuers")


def test_a_document_comes_as_it_is(either: IssuerDocuments, issuer: Issuer) -> None:
    odd = {"issuer": "ä 😀 \u2028", "keys": [{"n": 1}, None, True, 1.5], "": {}}
    issuer.answers[METADATA] = Answer(json.dumps(odd).encode(), media_type="application/jwk-set+json; charset=utf-8")
    assert either.fetch(issuer.url + METADATA) == odd
    assert issuer.asked == [METADATA]


def test_an_answer_that_cannot_be_taken_says_its_status(either: IssuerDocuments, issuer: Issuer) -> None:
    with pytest.raises(IssuerDocumentRefused) as raised:
        either.fetch(issuer.url + "/nowhere")
    assert raised.value.members["status"] == 404
    assert "404" in raised.value.detail


def test_a_host_in_trouble_is_unavailable(either: IssuerDocuments, issuer: Issuer) -> None:
    issuer.answers[JWKS] = Answer(b"{}", status=503)
    with pytest.raises(IssuerUnavailable):
        either.fetch(issuer.url + JWKS)


@pytest.mark.parametrize("url", ["", "x", "http://[::1", "file:///etc/passwd", "https://169.254.169.254/"])
def test_what_may_not_be_fetched_is_refused(either: IssuerDocuments, url: str) -> None:
    with pytest.raises(IssuerDocumentRefused):
        either.fetch(url)


def test_the_function_is_told_whose_request_it_is(function: InvokedHandler, issuer: Issuer) -> None:
    with correlated("request-1"):
        LambdaIssuerDocuments(function, "issuers").fetch(issuer.url + JWKS)
    assert function.requests == [{"url": issuer.url + JWKS, "correlation_id": "request-1"}]


def test_a_defect_of_the_function_is_unavailable_and_tells_nothing(
    function: InvokedHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuer_documents, "fetch_document", lambda _: 1 / 0)
    with pytest.raises(IssuerUnavailable) as raised:
        LambdaIssuerDocuments(function, "issuers").fetch("https://a.invalid/")
    assert "zero" not in raised.value.detail


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"null", b'{"document": 5}', b'{"error": {"type": "x"}}', b'{"error": 5}']
)
def test_an_answer_of_another_form_is_unavailable(answer: bytes) -> None:
    class Odd:
        functions: "Odd"

        def invoke(self, **_: object) -> Mapping[str, Any]:
            return {"Payload": io.BytesIO(answer)}

    odd = Odd()
    odd.functions = odd
    with pytest.raises(IssuerUnavailable):
        LambdaIssuerDocuments(odd, "issuers").fetch("https://a.invalid/")
