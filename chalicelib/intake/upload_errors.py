"""What goes wrong with uploads before their bytes are read."""

from typing import ClassVar

from chalicelib.errors import Conflict, NotFound, Rejected


class UploadNotFound(NotFound):
    """There is no such upload for you."""


class UploadTooLarge(Rejected):
    """The file is too large."""

    status: ClassVar[int] = 413


class UploadNotReceived(Conflict):
    """The bytes of the upload have not arrived."""


class UploadMismatch(Rejected):
    """The bytes that arrived are not the ones announced."""

    status: ClassVar[int] = 422


class UploadNotFailed(Conflict):
    """Only an upload that failed or was skipped can be retried."""
