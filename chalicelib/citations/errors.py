"""What goes wrong with citations."""

from typing import ClassVar

from chalicelib.errors import NotFound, Rejected


class AnswerNotFound(NotFound):
    """There is no such answer for you."""


class InvalidCitation(Rejected):
    """The citation is not one of a passage as it is."""

    status: ClassVar[int] = 422
