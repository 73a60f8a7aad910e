"""What keeps a collection from being evaluated."""

from chalicelib.errors import Rejected


class CollectionUnreadable(Rejected):
    """The collection cannot be read."""


class NothingJudged(Rejected):
    """No question of the collection has an answer that is known."""
