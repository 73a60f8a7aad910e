"""Tokens of IAM are those that the client of RDS signs, made anew before they end; the certificates are Amazon's."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs

import boto3
import botocore.auth
import botocore.utils
import pytest
from botocore.credentials import Credentials, RefreshableCredentials
from botocore.exceptions import CredentialRetrievalError
from cryptography import x509

from chalicelib.platform.aws import rds_certificates
from chalicelib.platform.aws.database_login import DatabaseLogin, certificates_of
from chalicelib.platform.errors import DatabaseLoginUnavailable, DatabaseRegionUnknown

HOST = "lorebase-dev.cluster-c0ffee.eu-central-1.rds.amazonaws.com"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FILES = sorted(Path(rds_certificates.__file__).parent.glob("*.pem"))


class MovedClock:
    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> datetime:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    """A clock that botocore signs by as well."""
    moved = MovedClock()

    def present(*, remove_tzinfo: bool = True) -> datetime:
        return moved.time.replace(tzinfo=None) if remove_tzinfo else moved.time

    monkeypatch.setattr(botocore.auth, "get_current_datetime", present)
    return moved


def login_of(clock: MovedClock, credentials: Credentials | None = None) -> DatabaseLogin:
    given = credentials or Credentials("AKIDEXAMPLE", "secret", "session")
    return DatabaseLogin(lambda: given, clock, region="eu-central-1", host=HOST, port=5432, user="lorebase_app")


def test_a_token_is_the_one_that_the_client_of_rds_signs(clock: MovedClock) -> None:
    session = boto3.Session("AKIDEXAMPLE", "secret", "session", region_name="eu-central-1")
    theirs = session.client("rds").generate_db_auth_token(HOST, 5432, "lorebase_app")
    assert login_of(clock).password() == theirs
    assert parse_qs(theirs)["X-Amz-Expires"] == ["900"]


def test_a_token_is_kept_for_ten_of_its_fifteen_minutes(clock: MovedClock) -> None:
    login = login_of(clock)
    first = login.password()
    clock.time += timedelta(minutes=9, seconds=59)
    assert login.password() == first
    clock.time += timedelta(seconds=1)
    second = login.password()
    assert second != first
    assert "X-Amz-Date=20261130T121000Z" in second


def test_credentials_are_renewed_by_botocore(clock: MovedClock) -> None:
    def metadata(access_key: str, minutes: int) -> dict[str, str]:
        expiry = datetime.now(UTC) + timedelta(minutes=minutes)
        return {"access_key": access_key, "secret_key": "s", "token": "t", "expiry_time": expiry.isoformat()}

    credentials = RefreshableCredentials.create_from_metadata(
        metadata("ENDING", 1), refresh_using=lambda: metadata("RENEWED", 60), method="test"
    )
    assert "RENEWED" in login_of(clock, credentials).password()


def test_without_credentials_the_login_is_unavailable_and_says_so(clock: MovedClock) -> None:
    login = DatabaseLogin(lambda: None, clock, region="eu-central-1", host=HOST, port=5432, user="lorebase_app")
    with pytest.raises(DatabaseLoginUnavailable):
        login.password()


def test_credentials_that_cannot_be_had_make_the_login_unavailable(clock: MovedClock) -> None:
    def refuse() -> Credentials:
        raise CredentialRetrievalError(provider="test", error_msg="the metadata service is down")

    login = DatabaseLogin(refuse, clock, region="eu-central-1", host=HOST, port=5432, user="lorebase_app")
    with pytest.raises(DatabaseLoginUnavailable):
        login.password()


def test_a_region_has_its_own_certificates_and_a_proxy_those_of_amazon() -> None:
    assert certificates_of("eu-central-1", proxied=False).name == "eu-central-1.pem"
    assert certificates_of("eu-central-1", proxied=True).name == "proxy.pem"


@pytest.mark.parametrize("region", ["", "mars-north-1"])
def test_a_region_without_certificates_is_refused_by_name(region: str) -> None:
    with pytest.raises(DatabaseRegionUnknown) as refused:
        certificates_of(region, proxied=False)
    assert region in refused.value.detail


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_certificate_is_a_valid_root_of_amazon(file: Path) -> None:
    certificates = x509.load_pem_x509_certificates(file.read_bytes())
    assert len(certificates) == (4 if file.stem == "proxy" else 3)
    for certificate in certificates:
        [name] = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
        begins = "Amazon Root CA " if file.stem == "proxy" else f"Amazon RDS {file.stem} Root CA "
        assert str(name.value).startswith(begins)
        assert certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
        certificate.verify_directly_issued_by(certificate)
        assert certificate.not_valid_before_utc < datetime.now(UTC)
        assert certificate.not_valid_after_utc > datetime.now(UTC) + timedelta(days=365)


def test_there_are_certificates_for_27_regions_and_for_proxies() -> None:
    assert len(FILES) == 28
