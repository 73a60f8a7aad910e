"""Bytes to text: by byte order mark, then UTF-8 over the whole content, then what is declared, then by detection."""

import codecs
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Charsets seen in the wild; detection over all of Python's would prefer EBCDIC for a short German sentence.
_CANDIDATES = [
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "koi8_r",
    "iso8859_2",
    "iso8859_5",
    "iso8859_7",
    "shift_jis",
    "euc_jp",
    "iso2022_jp",
    "gb18030",
    "big5",
    "euc_kr",
    "utf_16_le",
    "utf_16_be",
]
_ASCII = bytes(range(128))
_WESTERN_BELOW = 64
_DETECT_BYTES = 256 * 1024


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """Text with the charset it was read in, how that was known, and how many bytes made no sense."""

    text: str
    charset: str
    known_by: str
    undecodable: int = 0


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Decode all of `data`; never fails, because bytes that make no sense become U+FFFD and are counted."""
    for mark, charset in _BOMS:
        if data.startswith(mark):
            return _lenient(data.removeprefix(codecs.BOM_UTF8), charset, "byte order mark")
    if wide := guess_utf16(data):
        return _lenient(data, wide, "content")
    try:
        return Decoded(text=data.decode("utf-8"), charset="utf-8", known_by="content")
    except UnicodeDecodeError:
        pass
    if _is_nearly_utf8(data):
        return _lenient(data, "utf-8", "content")
    if declared and _decodes(data, declared):
        return _lenient(data, declared, "declaration")
    return _lenient(data, _detect(data), "detection")


def guess_utf16(data: bytes) -> str | None:
    """Return the UTF-16 flavour of text without a byte order mark, known by the zero half of Latin letters."""
    sample = data[: 4096 & ~1]
    pairs = len(sample) // 2
    if pairs < 2:
        return None
    even, odd = sample[0::2].count(0) / pairs, sample[1::2].count(0) / pairs
    if odd > 0.6 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 and odd < 0.05 else None


def _lenient(data: bytes, charset: str, known_by: str) -> Decoded:
    text = data.decode(charset, "replace")
    undecodable = text.count("\ufffd") if known_by != "content" or charset == "utf-8" else 0
    return Decoded(text=text, charset=codecs.lookup(charset).name, known_by=known_by, undecodable=undecodable)


def _is_nearly_utf8(data: bytes) -> bool:
    """Whether a few broken bytes sit among many sound multi-byte characters, as in a file cut or joined carelessly."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    sound = len(text) - len(text.encode("ascii", "ignore")) - broken
    return sound >= 10 * broken


def _decodes(data: bytes, charset: str) -> bool:
    try:
        data.decode(charset)
    except (LookupError, UnicodeError):
        return False
    return True


def _detect(data: bytes) -> str:
    beyond_ascii = len(data[:_DETECT_BYTES].translate(None, _ASCII))
    if beyond_ascii < _WESTERN_BELOW and beyond_ascii * 3 < len(data) and _decodes(data, "cp1252"):
        return "cp1252"
    # Few texts come to this, and it is slow to load.
    from charset_normalizer import from_bytes  # noqa: PLC0415

    best = from_bytes(data[:_DETECT_BYTES], cp_isolation=_CANDIDATES).best()
    return best.encoding if best else "cp1252"
