"""What can go wrong while a revision is made searchable."""

from chalicelib.errors import Conflict, Rejected


class ChunkSizeRefused(Rejected):
    """The chunk size cannot work."""


class NoLanguageModel(Conflict):
    """There is no language model."""
