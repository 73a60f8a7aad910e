"""The one base error of Lorebase and its five kinds.

Every error that a caller can cause or meet is a leaf of one of the kinds. A leaf keeps what happened
in typed attributes, so that nobody parses messages; its docstring's first line is the title of the
problem document (RFC 9457) that a client sees, and `problem_type` is the stable last part of its type URI.
"""

import re
from datetime import datetime
from typing import ClassVar


class LorebaseError(Exception):
    """Something went wrong."""

    status: ClassVar[int] = 500

    def __init__(self, detail: str, **members: object) -> None:
        """`detail` is one sentence for the person who asked; `members` are its machine-readable parts."""
        super().__init__(detail)
        self.detail = detail
        self.members = members

    @classmethod
    def problem_type(cls) -> str:
        """Return the stable kebab-case name of this error, e.g. `item-not-found`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def title(cls) -> str:
        """Return the first line of the docstring, without its full stop."""
        return (cls.__doc__ or cls.__name__).strip().splitlines()[0].rstrip(".")


class NotFound(LorebaseError):
    """Nothing readable is there."""

    status = 404


class Conflict(LorebaseError):
    """The request does not fit the present state."""

    status = 409


class Rejected(LorebaseError):
    """The input cannot be accepted."""

    status = 400


class Forbidden(LorebaseError):
    """The caller may not do this."""

    status = 403


class Unavailable(LorebaseError):
    """Something needed is out of reach for the moment; trying again later helps."""

    status = 503
    is_waited_out: ClassVar[bool] = False
    """A job that meets it waits for as long as it takes; what it has done until then is of use already."""
    waits_until: datetime | None = None
    """When trying again will help: a job that meets it waits until then, or until it is woken, and loses no attempt."""
