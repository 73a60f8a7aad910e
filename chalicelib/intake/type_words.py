"""What people call a type of file that is not taken, and what they can do instead."""

from collections.abc import Mapping

_UNPACK = "unpack it and upload the documents in it"
_RECOGNISE = "run text recognition (OCR) over it and upload the text, or put it into a PDF with a text layer"
_TRANSCRIBE = "upload a transcript of it"
_SAVE = "save it as DOCX or PDF"
_CONVERT = "convert it to PDF, DOCX, HTML, Markdown or text"

_WORDS_BY_MEDIA_TYPE: Mapping[str, tuple[str, str]] = {
    "application/zip": ("a ZIP archive", _UNPACK),
    "application/gzip": ("a gzip archive", _UNPACK),
    "application/x-7z-compressed": ("a 7z archive", _UNPACK),
    "application/vnd.rar": ("a RAR archive", _UNPACK),
    "image/png": ("a PNG image", _RECOGNISE),
    "image/jpeg": ("a JPEG image", _RECOGNISE),
    "image/gif": ("a GIF image", _RECOGNISE),
    "image/tiff": ("a TIFF image", _RECOGNISE),
    "image/webp": ("a WebP image", _RECOGNISE),
    "audio/wav": ("a WAV recording", _TRANSCRIBE),
    "audio/mpeg": ("an MP3 recording", _TRANSCRIBE),
    "audio/flac": ("a FLAC recording", _TRANSCRIBE),
    "audio/ogg": ("an Ogg recording", _TRANSCRIBE),
    "video/mp4": ("an MP4 video", _TRANSCRIBE),
    "video/webm": ("a WebM or Matroska video", _TRANSCRIBE),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": (
        "an Excel workbook",
        "export its sheets as CSV, or save it as PDF",
    ),
    "application/vnd.ms-excel": ("an old Excel workbook (XLS)", "export its sheets as CSV, or save it as PDF"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": (
        "a PowerPoint presentation",
        "save it as PDF",
    ),
    "application/vnd.oasis.opendocument.text": ("an OpenDocument text", _SAVE),
    "application/vnd.oasis.opendocument.spreadsheet": ("an OpenDocument spreadsheet", "export its sheets as CSV"),
    "application/vnd.oasis.opendocument.presentation": ("an OpenDocument presentation", "save it as PDF"),
    "application/msword": ("an old Word document (DOC)", _SAVE),
    "application/rtf": ("an RTF document", _SAVE),
    "application/epub+zip": ("an EPUB book", "convert it to HTML or PDF"),
    "application/x-encrypted-office": ("an office document with a password", "save it without the password"),
    "message/rfc822": ("an e-mail message", "save it as text, HTML or PDF"),
    "application/vnd.ms-outlook": ("an Outlook message", "save it as text, HTML or PDF"),
    "application/vnd.sqlite3": ("an SQLite database", "export its tables as CSV"),
}


def refusal_of(media_type: str, filename: str) -> str:
    """Return the sentence that refuses a file: what it is, in people's words, and what is possible instead."""
    words = _WORDS_BY_MEDIA_TYPE.get(media_type)
    if words is None:
        return f"{filename} is of a type that is not taken ({media_type}); {_CONVERT}."
    name, remedy = words
    return f"{filename} is {name}, which is not taken; {remedy}."
