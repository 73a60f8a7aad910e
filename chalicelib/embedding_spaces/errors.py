"""What can go wrong when an organization changes its embedding space."""

from datetime import datetime

from chalicelib.errors import Conflict, NotFound, Rejected, Unavailable


class EmbeddingSpaceUnknown(Rejected):
    """No embedder of this space is offered here."""


class EmbeddingSpaceChosen(Conflict):
    """The space is the organization's already."""


class EmbeddingChangeRunning(Conflict):
    """Another change of the embedding space is under way."""


class EmbeddingChangeNotFound(NotFound):
    """No change of the embedding space is under way."""


class EmbeddingChangeNotReady(Conflict):
    """The space is not filled yet."""


class FormerSpaceNotFound(NotFound):
    """There is no former embedding space."""


class FillStandsBack(Unavailable):
    """Another workspace is filled first."""

    def __init__(self, detail: str, *, waits_until: datetime, **members: object) -> None:
        """`waits_until` is when to look again."""
        super().__init__(detail, **members)
        self.waits_until = waits_until
