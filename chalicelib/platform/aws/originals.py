"""The original store as an S3 bucket."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, BinaryIO, Protocol

from boto3.exceptions import S3UploadFailedError
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.platform.aws.clients import Clients
from chalicelib.platform.download_names import content_disposition
from chalicelib.platform.errors import OriginalNotFound, OriginalsUnavailable
from chalicelib.platform.keys import checked_key
from chalicelib.platform.ports import PresignedTarget, StoredOriginal

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MEBIBYTE = 1024 * 1024
_TRANSFER = TransferConfig(multipart_threshold=16 * _MEBIBYTE, multipart_chunksize=16 * _MEBIBYTE, max_concurrency=4)
_ABSENT = {"NoSuchKey", "NotFound", "404"}


class S3Originals:
    """Keeps each original as one object of `bucket`, encrypted as the bucket says."""

    def __init__(self, clients: Clients, *, bucket: str) -> None:
        self._clients = clients
        self._bucket = bucket

    def put(self, key: str, content: BinaryIO) -> StoredOriginal:
        """Write `content` to its end under `key`, replacing what was there, all or nothing."""
        pipe = _Pipe(content)
        with _translated_errors(checked_key(key)), BufferedReader(pipe, _MEBIBYTE) as stream:
            self._clients.s3.upload_fileobj(stream, self._bucket, key, Config=_TRANSFER)
        return StoredOriginal(key, pipe.passed)

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """Read from the start. Raises OriginalNotFound."""
        with _translated_errors(checked_key(key)):
            body = self._clients.s3.get_object(Bucket=self._bucket, Key=key)["Body"]
            with closing(body), BufferedReader(_Pipe(body), _MEBIBYTE) as content:
                yield content

    def find(self, key: str) -> StoredOriginal | None:
        """Return what is under `key`, or None."""
        try:
            with _translated_errors(checked_key(key)):
                head = self._clients.s3.head_object(Bucket=self._bucket, Key=key)
        except OriginalNotFound:
            return None
        return StoredOriginal(key, head["ContentLength"])

    def delete(self, key: str) -> None:
        """Remove `key`; nothing happens where nothing is."""
        with _translated_errors(checked_key(key)):
            self._clients.s3.delete_object(Bucket=self._bucket, Key=key)

    def walk(self, prefix: str) -> Iterator[StoredOriginal]:
        """Yield everything whose key starts with `prefix`, in key order."""
        with _translated_errors(prefix):
            pages = self._clients.s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
            for page in pages:
                for entry in page.get("Contents", []):
                    yield StoredOriginal(entry["Key"], entry["Size"])

    def presign_put(self, key: str, *, size: int, valid_for: timedelta) -> PresignedTarget:
        """Let a client write exactly `size` bytes under `key` until the time is up."""
        expires_at = datetime.now(UTC) + valid_for
        with _translated_errors(checked_key(key)):
            url = self._clients.s3.generate_presigned_url(
                "put_object",
                Params={"Bucket": self._bucket, "Key": key, "ContentLength": size},
                ExpiresIn=int(valid_for.total_seconds()),
            )
        return PresignedTarget("PUT", url, {"Content-Length": str(size)}, expires_at)

    def presign_get(self, key: str, *, filename: str, media_type: str, valid_for: timedelta) -> str:
        """Return a URL that downloads `key` as `filename` (always as an attachment) until the time is up."""
        with _translated_errors(checked_key(key)):
            return self._clients.s3.generate_presigned_url(
                "get_object",
                Params={
                    "Bucket": self._bucket,
                    "Key": key,
                    "ResponseContentDisposition": content_disposition(filename),
                    "ResponseContentType": media_type,
                    "ResponseCacheControl": "private, no-store",
                },
                ExpiresIn=int(valid_for.total_seconds()),
            )


class _Reads(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Pipe(RawIOBase):
    """A raw stream of what `content` gives, counting it; nothing but reading reaches the content.

    boto3 closes what it is given to upload, and what it gives to download is no `BinaryIO`.
    """

    def __init__(self, content: _Reads) -> None:
        self._content = content
        self.passed = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        block = self._content.read(len(view))
        view[: len(block)] = block
        self.passed += len(block)
        return len(block)


@contextmanager
def _translated_errors(key: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code in _ABSENT:
            raise OriginalNotFound("The original is no longer in the store.", key=key) from error
        raise OriginalsUnavailable(f"The bucket of originals answered {code}. Try again later.", key=key) from error
    except (BotoCoreError, S3UploadFailedError) as error:
        raise OriginalsUnavailable("The bucket of originals is out of reach. Try again later.", key=key) from error
