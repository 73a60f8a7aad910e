"""What goes wrong at a port, said in the same words by every implementation."""

from chalicelib.errors import NotFound, Unavailable


class OriginalNotFound(NotFound):
    """The original is not in the store."""


class OriginalsUnavailable(Unavailable):
    """The original store is out of reach."""


class SecretsUnavailable(Unavailable):
    """The secret store is out of reach."""


class EmbedderUnavailable(Unavailable):
    """The embedder is out of reach."""
