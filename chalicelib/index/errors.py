"""What can go wrong while a revision is made searchable."""

from chalicelib.errors import Rejected


class ChunkSizeRefused(Rejected):
    """The chunk size cannot work."""
