"""URLs that let a client read or write one original for a while, signed as Amazon S3's are."""

import hmac
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from chalicelib.platform.errors import PresignedUrlRefused
from chalicelib.platform.ports import Clock, PresignedTarget

PRESIGNED_PATH = "/_originals"
"""The path of every presigned URL; what it is about stands in the query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What one presigned URL allows: all of it is signed. `expires` is in seconds since the epoch."""

    method: Literal["GET", "PUT"]
    key: str
    expires: int
    size: int = 0
    filename: str = ""
    media_type: str = ""


class Presigner:
    """Gives out permissions as URLs and reads them back."""

    def __init__(self, signing_key: bytes, *, address: Callable[[], str], clock: Clock) -> None:
        """`address` is asked at every call for scheme, host and port, as the port may be known late."""
        self._signing_key = signing_key
        self._address = address
        self._clock = clock

    def presign_put(self, key: str, *, size: int, valid_for: timedelta) -> PresignedTarget:
        """Let a client write exactly `size` bytes under `key` until the time is up."""
        expires_at = self._clock.now() + valid_for
        url = self._url(Permission(method="PUT", key=key, expires=int(expires_at.timestamp()), size=size))
        return PresignedTarget("PUT", url, {"Content-Length": str(size)}, expires_at)

    def presign_get(self, key: str, *, filename: str, media_type: str, valid_for: timedelta) -> str:
        """Return a URL that downloads `key` until the time is up."""
        expires = int((self._clock.now() + valid_for).timestamp())
        return self._url(Permission(method="GET", key=key, expires=expires, filename=filename, media_type=media_type))

    def read(self, target: str, *, method: Literal["GET", "PUT"]) -> Permission:
        """Return what the URL, or its path and query, allows now. Raises PresignedUrlRefused."""
        try:
            fields = dict(
                parse_qsl(urlsplit(target).query, keep_blank_values=True, strict_parsing=True, errors="strict")
            )
            signature = fields.pop("signature")
            permission = Permission(
                method=method,
                key=fields["key"],
                expires=int(fields["expires"]),
                size=int(fields.get("size", "0")),
                filename=fields.get("filename", ""),
                media_type=fields.get("media_type", ""),
            )
        except (KeyError, ValueError) as error:
            raise PresignedUrlRefused("This is no presigned URL. Ask for a new one.") from error
        if not hmac.compare_digest(signature.encode(), self._signature(permission).encode()):
            raise PresignedUrlRefused("The signature does not match the URL. Ask for a new one.")
        if permission.expires <= self._clock.now().timestamp():
            raise PresignedUrlRefused("The URL has expired. Ask for a new one.", expired=True)
        return permission

    def _url(self, permission: Permission) -> str:
        fields = {name: value for name, value in asdict(permission).items() if name != "method" and value != ""}
        query = urlencode({**fields, "signature": self._signature(permission)})
        return f"{self._address().rstrip('/')}{PRESIGNED_PATH}?{query}"

    def _signature(self, permission: Permission) -> str:
        signed = json.dumps(asdict(permission), sort_keys=True).encode()
        return hmac.new(self._signing_key, signed, sha256).hexdigest()
