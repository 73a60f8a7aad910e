"""What organizations, workspaces, principals and keys may be called."""

import re
import unicodedata

from chalicelib.identity.errors import InvalidIdentity

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,190}")


def checked_name(name: str) -> str:
    """Return the name in NFC without blanks around it. Raises InvalidIdentity."""
    checked = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(checked) <= 200 or any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in checked):
        raise InvalidIdentity("A name has 1 to 200 characters and no control characters.", name=name[:200])
    return checked


def checked_slug(slug: str) -> str:
    """Return the slug. Raises InvalidIdentity."""
    if not _SLUG.fullmatch(slug):
        raise InvalidIdentity(
            "A slug has 1 to 63 of a-z, 0-9 and -, and neither begins nor ends with -.", slug=slug[:200]
        )
    return slug


def checked_email(email: str) -> str:
    """Return the address. Raises InvalidIdentity. Whether it is reachable is not asked."""
    if not _EMAIL.fullmatch(email):
        raise InvalidIdentity("This is no email address.", email=email[:254])
    return email
