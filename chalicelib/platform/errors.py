"""What goes wrong at a port, said in the same words by every implementation."""

from typing import ClassVar

from chalicelib.errors import Forbidden, NotFound, Rejected, Unavailable


class OriginalNotFound(NotFound):
    """The original is not in the store."""


class OriginalKeyRefused(Rejected):
    """The original store cannot keep such a key."""


class OriginalSizeMismatch(Rejected):
    """The original has not the size that was announced."""


class PresignedUrlRefused(Forbidden):
    """The presigned URL is forged or has expired."""


class OriginalsUnavailable(Unavailable):
    """The original store is out of reach."""


class SecretsUnavailable(Unavailable):
    """The secret store is out of reach."""


class DatabaseLoginUnavailable(Unavailable):
    """There is nothing to log in to the database with."""


class DatabaseRegionUnknown(Rejected):
    """The certificates of the database's region are missing."""


class EmbedderUnavailable(Unavailable):
    """The embedder is out of reach."""

    is_waited_out: ClassVar[bool] = True


class EmbeddedTextTooLong(Rejected):
    """The text is too long for the embedder."""

    status: ClassVar[int] = 413


class ModelNameRefused(Rejected):
    """The model cannot be used as it is named."""


class LanguageModelUnavailable(Unavailable):
    """The language model is out of reach."""

    is_waited_out: ClassVar[bool] = True


class LanguageModelAnswerRefused(Rejected):
    """The language model gave an answer that cannot be used."""

    status: ClassVar[int] = 422


class RerankerUnavailable(Unavailable):
    """The reranker is out of reach."""


class IssuerDocumentRefused(Rejected):
    """What an issuer publishes cannot be taken."""

    status: ClassVar[int] = 422


class IssuerUnavailable(Unavailable):
    """An issuer does not answer."""
