"""How a download is named in its headers, whatever characters the name holds."""

import re
from urllib.parse import quote

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ._()\-]")


def content_disposition(filename: str) -> str:
    """Return `attachment` with the name as ASCII and in full, by RFC 6266 and RFC 8187."""
    name = filename.encode(errors="replace").decode().replace("/", "_").replace("\\", "_").strip() or "download"
    return f"attachment; filename=\"{_NOT_PLAIN.sub('_', name)}\"; filename*=UTF-8''{quote(name, safe='')}"
