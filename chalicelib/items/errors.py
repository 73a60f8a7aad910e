"""What goes wrong with items."""

from typing import ClassVar

from chalicelib.errors import Conflict, NotFound, Rejected


class ItemNotFound(NotFound):
    """There is no such item for you."""


class RevisionNotFound(NotFound):
    """The item has no such revision."""


class PathTaken(Conflict):
    """Another item lies at this path."""


class RevisionConflict(Conflict):
    """The item has been changed since you read it."""

    status: ClassVar[int] = 412


class InvalidPath(Rejected):
    """The path cannot be accepted."""

    status: ClassVar[int] = 422


class InvalidItem(Rejected):
    """The item cannot be accepted as it is."""

    status: ClassVar[int] = 422


class BodyTooLarge(Rejected):
    """The body is too large for one item."""

    status: ClassVar[int] = 413


class QuotaExceeded(Rejected):
    """The workspace has no room for this."""

    status: ClassVar[int] = 402
