"""Why an original is refused, or gives no text; each says what the uploader can do about it."""

from typing import ClassVar

from chalicelib.errors import Rejected


class UnsupportedType(Rejected):
    """Files of this type are not taken."""

    status: ClassVar[int] = 415


class ProgramRefused(Rejected):
    """Programs are not taken."""

    status: ClassVar[int] = 415


class UnreadableFile(Rejected):
    """The file is neither text nor a document."""

    status: ClassVar[int] = 415


class ExtractionFailed(Rejected):
    """No text could be read out of the original."""

    status: ClassVar[int] = 422
    reason: ClassVar[str] = "extraction_failed"


class PasswordRequired(ExtractionFailed):
    """The document opens only with a password."""

    reason = "password_required"


class NoTextFound(ExtractionFailed):
    """The document holds no text."""

    reason = "no_text_found"


class DocumentBroken(ExtractionFailed):
    """The document is broken."""

    reason = "document_broken"


class ParserDied(ExtractionFailed):
    """The document made its parser fail."""

    reason = "parser_died"


class TimeExceeded(ExtractionFailed):
    """Reading the document took too long."""

    reason = "time_exceeded"


class MemoryExceeded(ExtractionFailed):
    """Reading the document took too much memory."""

    reason = "memory_exceeded"


class PagesExceeded(ExtractionFailed):
    """The document has too many pages."""

    reason = "pages_exceeded"


class InflatedSizeExceeded(ExtractionFailed):
    """The document unpacks to too much."""

    reason = "inflated_size_exceeded"


class TextExceeded(ExtractionFailed):
    """The document holds too much text."""

    reason = "text_exceeded"
