"""What goes wrong with knowledge bases."""

from typing import ClassVar

from chalicelib.errors import NotFound, Rejected


class KnowledgeBaseNotFound(NotFound):
    """There is no such knowledge base for you."""


class InvalidKnowledgeBase(Rejected):
    """The knowledge base cannot be accepted as it is."""

    status: ClassVar[int] = 422
