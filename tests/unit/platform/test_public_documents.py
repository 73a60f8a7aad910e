"""Documents of strangers: https to the public internet alone, within limits, and nothing followed anywhere."""

import socket
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from chalicelib.platform import public_documents
from chalicelib.platform.errors import IssuerDocumentRefused, IssuerUnavailable
from chalicelib.platform.public_address import find_endpoint, is_public
from chalicelib.platform.public_documents import MOST_BYTES, fetch_document
from tests.fixtures.issuers import JWKS, METADATA, Answer, Issuer, SigningKey, first_key, issuer, serving
from tests.fixtures.tls_postgres import issue, make_authority

__all__ = ["first_key", "issuer"]


def resolve_as(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let every name mean these addresses."""

    def getaddrinfo(_host: str, port: int, **_: Any) -> list[Any]:
        kinds = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(kinds[":" in each], socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_a_document_is_what_the_host_answers(issuer: Issuer) -> None:
    assert fetch_document(issuer.url + METADATA, takes_loopback=True) == issuer.metadata


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "169.254.170.2",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::10.0.0.1",
        "2002:7f00:1::",
        "2001:0:7f00:1::",
        "no address",
    ],
)
def test_an_address_on_this_side_of_the_internet_is_not_public(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_public(address)
    resolve_as(monkeypatch, address)
    with pytest.raises(IssuerDocumentRefused):
        fetch_document("https://issuer.example.com/")


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


def test_one_address_of_ours_among_others_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_as(monkeypatch, "8.8.8.8", "10.0.0.1")
    with pytest.raises(IssuerDocumentRefused):
        find_endpoint("issuer.example.com", 443, takes_loopback=True)


def test_numbers_in_odd_forms_are_looked_at_as_what_they_mean() -> None:
    for host in ("2130706433", "0x7f.1", "127.1", "localhost"):
        with pytest.raises((IssuerDocumentRefused, IssuerUnavailable)):
            fetch_document(f"https://{host}/")


def test_the_address_that_was_looked_at_is_the_one_that_is_asked(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that means something else at a second look gains nothing: there is no second look."""
    looks = []

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        looks.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1" if len(looks) == 1 else "10.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    port = issuer.url.rpartition(":")[2]
    assert fetch_document(f"http://rebinding.example.com:{port}{METADATA}", takes_loopback=True)
    assert looks == ["rebinding.example.com"]


def test_plain_http_goes_nowhere_but_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_as(monkeypatch, "8.8.8.8")
    with pytest.raises(IssuerDocumentRefused):
        fetch_document("http://issuer.example.com/", takes_loopback=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "ftp://a.invalid/",
        "file:///etc/passwd",
        "https:///x",
        "https://user:password@a.invalid/",
        "https://a.invalid/#x",
        "https://a.invalid:0/",
        "https://a.invalid:x/",
        "https://a.invalid/a b",
        "https://a.invalid/\r\nX: y",
        "https://a.invalid/" + "x" * 2000,
        "https://ä.invalid/",
        "",
        "x",
    ],
)
def test_what_is_no_url_to_fetch_is_refused(url: str) -> None:
    with pytest.raises(IssuerDocumentRefused):
        fetch_document(url)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"{}", status=301, headers={"Location": "http://169.254.169.254/"}),
        Answer(b"{}", status=404),
        Answer(b"{}", status=201),
        Answer(b"{}", media_type="text/html"),
        Answer(b"{}", headers={"Content-Encoding": "gzip"}),
        Answer(b"[]"),
        Answer(b"{"),
        Answer(b"\xff\xfe"),
        Answer(b"[" * 100_000),
        Answer(b" " * (MOST_BYTES + 1)),
    ],
    ids=range(10),
)
def test_an_answer_that_cannot_be_taken_is_refused(issuer: Issuer, answer: Answer) -> None:
    issuer.answers[JWKS] = answer
    with pytest.raises(IssuerDocumentRefused):
        fetch_document(issuer.url + JWKS, takes_loopback=True)
    assert issuer.asked == [JWKS]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_host_in_trouble_is_unavailable(issuer: Issuer, status: int) -> None:
    issuer.answers[JWKS] = Answer(b"{}", status=status)
    with pytest.raises(IssuerUnavailable):
        fetch_document(issuer.url + JWKS, takes_loopback=True)


def test_a_host_that_sends_a_byte_now_and_then_is_cut_off(issuer: Issuer) -> None:
    issuer.answers[JWKS] = Answer(b"{", drips=True)
    started = time.monotonic()
    with pytest.raises(IssuerUnavailable):
        fetch_document(issuer.url + JWKS, takes_loopback=True, seconds=0.5)
    assert time.monotonic() - started < 5


def test_a_host_that_says_nothing_is_waited_for_no_longer_than_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        started = time.monotonic()
        with pytest.raises(IssuerUnavailable):
            fetch_document(f"http://127.0.0.1:{mute.getsockname()[1]}/", takes_loopback=True, seconds=0.3)
        assert time.monotonic() - started < 5


def test_a_port_where_nobody_listens_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(IssuerUnavailable):
        fetch_document(f"http://127.0.0.1:{port}/", takes_loopback=True)


@dataclass(frozen=True)
class Shown:
    """The name in the certificate that a host shows, and whether its authority is known."""

    name: str
    is_trusted: bool
    error: type[Exception] | None


SHOWN = {
    "a good certificate": Shown("localhost", True, None),
    "another name": Shown("other.example.com", True, IssuerDocumentRefused),
    "an unknown authority": Shown("localhost", False, IssuerDocumentRefused),
}


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_a_host_shows_a_certificate_of_its_name(
    first_key: SigningKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    authority = make_authority()
    key, certificate = issue(authority, shown.name)
    (tmp_path / "server.pem").write_bytes(key + certificate)
    (tmp_path / "authority.pem").write_bytes(authority[1].public_bytes(serialization.Encoding.PEM))
    if shown.is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    public_documents._tls.cache_clear()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    with serving(first_key, host="localhost", tls=context) as encrypted:
        if shown.error is None:
            assert fetch_document(encrypted.url + METADATA, takes_loopback=True) == encrypted.metadata
        else:
            with pytest.raises(shown.error):
                fetch_document(encrypted.url + METADATA, takes_loopback=True)
            assert encrypted.asked == []
    public_documents._tls.cache_clear()
