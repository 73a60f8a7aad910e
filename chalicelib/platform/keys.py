"""What a key of the original store may look like, the same on every platform."""

from chalicelib.platform.errors import OriginalKeyRefused

KEY_BYTES = 1024
"""Amazon S3's own limit of a key's length in UTF-8."""


def checked_key(key: str) -> str:
    """Return the key. Raises OriginalKeyRefused.

    Dot segments are refused since HTTP clients (urllib3 among them) resolve them before the request is
    sent, so that another object would be touched; control characters since listings are XML.
    """
    try:
        length = len(key.encode())
    except UnicodeEncodeError as error:
        raise OriginalKeyRefused("A key is valid Unicode.", key=key.encode(errors="replace").decode()) from error
    if not 1 <= length <= KEY_BYTES:
        raise OriginalKeyRefused(f"A key has 1 to {KEY_BYTES} bytes in UTF-8.", bytes=length)
    if key.startswith("/") or any(segment in {".", ".."} for segment in key.split("/")):
        raise OriginalKeyRefused("A key does not begin with / and has no segment . or ..", key=key)
    if any(letter < " " or letter == "\x7f" for letter in key):
        raise OriginalKeyRefused("A key has no control characters.", key=key)
    return key
