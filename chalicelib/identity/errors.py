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


class TeamNotFound(NotFound):
    """There is no such team for you."""


class EnvironmentNotFound(NotFound):
    """There is no such environment for you."""


class InvitationNotFound(NotFound):
    """There is no such invitation for you, or it is over."""


class ApiKeyOver(Conflict):
    """The API key has ended, or another one follows it already."""


class InvitationAccepted(Conflict):
    """The invitation has been accepted."""


class TeamNameTaken(Conflict):
    """Another team of the organization has this name."""


class EnvironmentTaken(Conflict):
    """The organization has this environment already."""


class EnvironmentInUse(Conflict):
    """Agents, folders or items are still in this environment."""


class SlugTaken(Conflict):
    """Another workspace of the organization has this slug."""


class EmailTaken(Conflict):
    """Another user of the organization has this email address."""


class LastAdmin(Conflict):
    """The organization would be left without an admin."""


class ActingRefused(Forbidden):
    """You cannot act for this member, or not in this way."""


class InvalidIdentity(Rejected):
    """What is said of an organization, workspace, team, member or key cannot be accepted."""

    status: ClassVar[int] = 422
