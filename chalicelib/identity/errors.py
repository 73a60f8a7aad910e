"""What goes wrong with who is asking."""

from typing import ClassVar

from chalicelib.errors import Conflict, Forbidden, NotFound, Rejected


class Unauthenticated(Forbidden):
    """No valid credential came with the request."""

    status: ClassVar[int] = 401


class OrganizationNotFound(NotFound):
    """There is no such organization for you."""


class WorkspaceNotFound(NotFound):
    """There is no such workspace for you."""


class MemberNotFound(NotFound):
    """There is no such member for you."""


class ApiKeyNotFound(NotFound):
    """There is no such API key for you."""


class SlugTaken(Conflict):
    """Another workspace of the organization has this slug."""


class EmailTaken(Conflict):
    """Another user of the organization has this email address."""


class LastAdmin(Conflict):
    """The organization would be left without an admin."""


class InvalidIdentity(Rejected):
    """The name, slug, email address or expiry cannot be accepted."""

    status: ClassVar[int] = 422
