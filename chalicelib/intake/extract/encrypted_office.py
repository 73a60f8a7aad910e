"""Office documents behind a password: an OLE container around the encrypted package."""

from chalicelib.intake.errors import PasswordRequired
from chalicelib.intake.extract.formats import reads
from chalicelib.intake.extract.model import Extract, Source


@reads("application/x-encrypted-office")
def refuse_encrypted_office(source: Source) -> Extract:
    """Say that the document needs its password."""
    raise PasswordRequired(
        f"{source.filename} opens only with a password; save it without one and upload it again.",
        filename=source.filename,
    )
