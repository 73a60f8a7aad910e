"""What an original is: by its content first, then by its name. Programs and unreadable files are refused."""

import re
from pathlib import Path, PurePosixPath
from typing import NewType

from chalicelib.intake.charset import guess_utf16
from chalicelib.intake.errors import ProgramRefused, UnreadableFile
from chalicelib.intake.media_types import MEDIA_TYPE_BY_SUFFIX, PROGRAM_SUFFIXES, SIGNATURES, SOURCE_SUFFIXES

MediaType = NewType("MediaType", str)

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 256 * 1024
PDF_HEADER_WITHIN = 1024
OFFICE = "application/vnd.openxmlformats-officedocument."

_PROGRAM_MAGICS = (
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\x00asm",
    b"\x4c\x00\x00\x00\x01\x14\x02\x00",
)
_HTML_START = re.compile(rb"<(?:!doctype\s{1,99}html|html)\b", re.IGNORECASE)
_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?\s*")
_BEFORE_HTML = ((b"<?xml", b">"), (b"<!--", b"-->"))
# The longest name looked for is shorter; a hostile directory's names would fill the memory.
_NAME_BYTES = 64
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b")) + b"\x7f"


def sniff_file(path: Path, filename: str) -> MediaType:
    """Return the media type of the file at `path`, which its uploader called `filename`."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL_BYTES))
        return sniff(head, filename, tail=file.read(TAIL_BYTES))


def sniff(head: bytes, filename: str, *, tail: bytes = b"") -> MediaType:
    """Return the media type of content that starts with `head`.

    `tail` is the file's end, where a ZIP keeps its directory. Raises ProgramRefused and UnreadableFile,
    both 415. The type need not be one that is taken: `formats.require_taken` says so.
    """
    suffix = PurePosixPath(filename.lower()).suffix
    _refuse_program(head, suffix)
    named = MEDIA_TYPE_BY_SUFFIX.get(suffix, "")
    if not head:
        return MediaType(named or "text/plain")
    if b"%PDF-" in head[:PDF_HEADER_WITHIN]:
        return MediaType("application/pdf")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return MediaType(_zip_type(head, tail, named))
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return MediaType(_ole_type(head + tail, named))
    for offset, magic, media_type in SIGNATURES:
        if head[offset : offset + len(magic)] == magic:
            return MediaType(media_type)
    if not _is_text(head):
        raise UnreadableFile(
            f"{filename} is neither text nor a document that Lorebase knows; convert it, for instance to PDF.",
            filename=filename,
        )
    return MediaType(_text_type(head, suffix, named))


def _refuse_program(head: bytes, suffix: str) -> None:
    windows = head.startswith(b"MZ") and (b"PE\x00\x00" in head or b"\x00" in head[:64])
    if head.startswith(_PROGRAM_MAGICS) or windows or suffix in PROGRAM_SUFFIXES:
        raise ProgramRefused("Programs are not taken; upload the documents that belong to it instead.", suffix=suffix)


def _zip_type(head: bytes, tail: bytes, named: str) -> str:
    names = _zip_names(_directory(tail)) or _zip_names(head)
    if "word/document.xml" in names or any(re.fullmatch(r"word/document\d*\.xml", name) for name in names):
        macros = "word/vbaProject.bin" in names
        return "application/vnd.ms-word.document.macroenabled.12" if macros else OFFICE + "wordprocessingml.document"
    if "xl/workbook.xml" in names or "xl/workbook.bin" in names:
        return OFFICE + "spreadsheetml.sheet"
    if "ppt/presentation.xml" in names:
        return OFFICE + "presentationml.presentation"
    stored = re.match(rb"PK\x03\x04.{26}mimetype(application/[a-z0-9.+-]+?)(?:PK|\x00|[^a-z0-9.+-])", head, re.DOTALL)
    if stored:
        return stored[1].decode()
    # A cut-off office file lists nothing: its name is the best that is left, and its extractor says "broken".
    return named if named.startswith((OFFICE, "application/vnd.ms-word")) else "application/zip"


def _directory(tail: bytes) -> bytes:
    """Return the ZIP's own directory, without those of archives inside of it, such as a chart's workbook.

    PKWARE's APPNOTE.TXT, 4.3.16: the record at the end has the directory's size, and lies right behind it.
    """
    end = tail.rfind(b"PK\x05\x06")
    if end < 0:
        return tail
    size = int.from_bytes(tail[end + 12 : end + 16], "little")
    return tail[max(0, end - size) : end]


def _zip_names(data: bytes) -> set[str]:
    """Names out of the ZIP's directory records, or of its local ones where the directory is missing."""
    names = set()
    for magic, length_at, name_at in ((b"PK\x01\x02", 28, 46), (b"PK\x03\x04", 26, 30)):
        for found in re.finditer(re.escape(magic), data):
            start = found.start()
            length = int.from_bytes(data[start + length_at : start + length_at + 2], "little")
            name = data[start + name_at : start + name_at + min(length, _NAME_BYTES)]
            names.add(name.decode("utf-8", "replace").replace("\\", "/"))
        if names:
            return names
    return names


def _ole_type(data: bytes, named: str) -> str:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "application/x-encrypted-office"
    return named if named in {"application/vnd.ms-outlook", "application/vnd.ms-excel"} else "application/msword"


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or guess_utf16(head):
        return True
    controls = (len(head) - len(head.translate(None, _CONTROL))) / len(head)
    try:
        head[: len(head) - 3 if len(head) == HEAD_BYTES else None].decode("utf-8")
    except UnicodeDecodeError as error:
        # Compressed or random bytes hold about 11 % controls; text in an 8-bit charset holds none to speak of.
        cut_off = error.start >= len(head) - 8
        return controls < (0.1 if cut_off else 0.02)
    return controls < 0.1


def _starts_as_html(head: bytes) -> bool:
    """Whether a doctype or <html> comes first, after an XML declaration and comments."""
    at = 0
    while True:
        start = _BLANK.match(head, at)
        at = start.end() if start else at
        closing = next((last for first, last in _BEFORE_HTML if head.startswith(first, at)), None)
        if closing is None:
            return _HTML_START.match(head, at) is not None
        end = head.find(closing, at)
        if end < 0:
            return False
        at = end + len(closing)


def _text_type(head: bytes, suffix: str, named: str) -> str:
    if _starts_as_html(head) and suffix not in {".md", ".markdown"} | SOURCE_SUFFIXES:
        return "text/html"
    # A name that promises a binary type has just been proven wrong by the content.
    textual = named.startswith(("text/", "message/")) or named in {
        "application/json",
        "application/yaml",
        "application/xml",
    }
    return named if textual else "text/plain"
