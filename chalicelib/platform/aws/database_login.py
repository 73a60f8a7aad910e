"""Logs in to the database by IAM: signs tokens that stand in for a password, and knows the server's certificates."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError

from chalicelib.platform.errors import DatabaseLoginUnavailable, DatabaseRegionUnknown
from chalicelib.platform.ports import Clock

if TYPE_CHECKING:
    from botocore.credentials import Credentials

# docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.IAMDBAuth.html: a token is valid for 15 minutes.
# It is asked for only when a connection opens, so one that ends in the meantime ends nothing.
_VALID = timedelta(minutes=15)
_KEPT = timedelta(minutes=10)
_CERTIFICATES = Path(__file__).with_name("rds_certificates")


class DatabaseLogin:
    """The password of one user of one database, made anew before it ends; give `password` to the pool.

    It is botocore's signature of a request that is never sent: made here it takes under a millisecond, where
    the client of RDS takes a tenth of a second to load before it does the same. The credentials are asked
    for at each signature, so that botocore renews them in time.
    """

    def __init__(
        self,
        credentials: Callable[[], "Credentials | None"],
        clock: Clock,
        *,
        region: str,
        host: str,
        port: int,
        user: str,
    ) -> None:
        self._credentials = credentials
        self._clock = clock
        self._region = region
        self._address = f"{host}:{port}"
        self._user = user
        self._lock = Lock()
        self._token = ""
        self._renew_at: datetime | None = None

    def password(self) -> str:
        """Return a token that is valid for five minutes more at least. Raises DatabaseLoginUnavailable."""
        with self._lock:
            # By the wall: a monotonic clock may stand still while Lambda keeps a process frozen.
            now = self._clock.now()
            if self._renew_at is None or now >= self._renew_at:
                self._token = self._signed()
                self._renew_at = now + _KEPT
            return self._token

    def _signed(self) -> str:
        query = urlencode({"Action": "connect", "DBUser": self._user})
        request = AWSRequest(method="GET", url=f"https://{self._address}/?{query}")
        try:
            credentials = self._credentials()
            if credentials is None:
                raise DatabaseLoginUnavailable("There are no credentials of AWS to log in to the database with.")
            signer = SigV4QueryAuth(
                credentials.get_frozen_credentials(), "rds-db", self._region, expires=int(_VALID.total_seconds())
            )
            signer.add_auth(request)
        except BotoCoreError as error:
            raise DatabaseLoginUnavailable("AWS gave no credentials to log in to the database with.") from error
        return str(request.url).removeprefix("https://")


def certificates_of(region: str, *, proxied: bool) -> Path:
    """Return the file of the authorities to trust for a cluster of the region, or for a proxy.

    One region's and no other's: loading all 81 takes 20 ms at each connection. Raises DatabaseRegionUnknown.
    """
    path = _CERTIFICATES / ("proxy.pem" if proxied else f"{region}.pem")
    if not path.is_file():
        raise DatabaseRegionUnknown(
            f"There are no certificates of Amazon RDS for the region {region}; docs/aws-database.md says how to add"
            " them.",
            region=region,
        )
    return path
