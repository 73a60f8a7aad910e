"""What goes wrong with saying who may read."""

from typing import ClassVar

from chalicelib.errors import NotFound, Rejected


class FolderNotFound(NotFound):
    """There is no such folder for you."""


class GrantNotFound(NotFound):
    """There is no such grant for you."""


class InvalidAccess(Rejected):
    """What was said about who may read cannot be accepted."""

    status: ClassVar[int] = 422
