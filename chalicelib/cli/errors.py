"""What goes wrong between a terminal and the API, and the exit code that it ends with."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from chalicelib.errors import Forbidden, LorebaseError, NotFound, Rejected, Unavailable

OK = 0
INCOMPLETE = 1
USAGE = 2
NOT_FOUND = 3
NOT_AUTHORISED = 4
UNAVAILABLE = 5
INTERRUPTED = 130

_EXIT_CODES_BY_STATUS = {401: NOT_AUTHORISED, 403: NOT_AUTHORISED, 404: NOT_FOUND, 429: UNAVAILABLE}


class ServerUnreachable(Unavailable):
    """No server answers."""


class UnintelligibleAnswer(Unavailable):
    """What answered is not Lorebase."""


class KeyMissing(Forbidden):
    """There is no API key to ask with."""

    status: ClassVar[int] = 401


class WorkspaceUnknown(NotFound):
    """There is no such workspace for you."""


class NothingInFolder(NotFound):
    """The data folder is not one of a server."""


class FoldersForOwners(Forbidden):
    """Who may read a folder is for owners to ask and to say."""


class NamesForAdmins(Forbidden):
    """Only admins can look for a name among all members and teams."""


class MemberUnknown(NotFound):
    """There is no such member."""


class TeamUnknown(NotFound):
    """There is no such team."""


class EnvironmentUnknown(NotFound):
    """There is no such environment."""


class NothingAtPath(NotFound):
    """Nothing lies at the path."""


class KnowledgeBaseUnknown(NotFound):
    """You see no such knowledge base."""


class GrantMissing(NotFound):
    """There is no such grant."""


class OriginalMissing(NotFound):
    """The item has no original."""


class NothingToUpload(Rejected):
    """There is nothing to upload."""


class FileChanged(Rejected):
    """The file changed while it was being sent."""


class ServerProblem(LorebaseError):
    """The server refused the request; `document` is its problem document."""

    def __init__(self, document: Mapping[str, Any], *, status: int) -> None:
        super().__init__(str(document.get("detail") or document.get("title") or f"The server answered {status}."))
        self.document = dict(document)
        self.answered_status = status

    @property
    def name(self) -> str:
        """The last part of the problem's type, e.g. `item-not-found`."""
        return str(self.document.get("type", "")).rpartition(":")[2]


def exit_code_of(error: LorebaseError) -> int:
    """Return the exit code that a script sees for an error."""
    status = status_of(error)
    if status in _EXIT_CODES_BY_STATUS:
        return _EXIT_CODES_BY_STATUS[status]
    return UNAVAILABLE if status >= 500 else INCOMPLETE


def exit_code_of_all(errors: Iterable[LorebaseError], *, is_any_done: bool) -> int:
    """Return the exit code of a command that does several things, by what went wrong with some of them.

    Where nothing was done and all went wrong alike, that is why; else the rest is done, and the code says no more.
    """
    codes = {exit_code_of(error) for error in errors}
    if not codes:
        return OK
    return codes.pop() if len(codes) == 1 and not is_any_done else INCOMPLETE


def ends_all(error: LorebaseError) -> bool:
    """Tell whether whatever is asked next would fare alike: there is no right to it, or no server any more."""
    return status_of(error) in {401, 403} or isinstance(error, ServerUnreachable)


def status_of(error: LorebaseError) -> int:
    """Return the HTTP status that an error stands for."""
    return error.answered_status if isinstance(error, ServerProblem) else error.status


def problem_name_of(error: LorebaseError) -> str:
    """Return the kebab-case name of what went wrong, here or on the server."""
    return error.name if isinstance(error, ServerProblem) else error.problem_type()


def document_of(error: LorebaseError) -> dict[str, Any]:
    """Return the problem document of an error: the server's own, or one in the same form."""
    if isinstance(error, ServerProblem):
        return error.document
    return {
        "type": f"urn:lorebase:problem:{error.problem_type()}",
        "title": error.title(),
        "status": error.status,
        "detail": error.detail,
        **error.members,
    }
