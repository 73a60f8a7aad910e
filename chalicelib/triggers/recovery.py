"""Makes an admin's key when the last one is lost: what an operator asks the function that migrates for."""

import logging
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from chalicelib.aws_database import Ownership, database_ownership
from chalicelib.database.database import Database
from chalicelib.database.wait_for_server import wait_for_server
from chalicelib.identity.errors import InvalidIdentity
from chalicelib.identity.model import OrganizationId
from chalicelib.identity.recover_admin_key import RecoveredKey, recover_admin_key
from chalicelib.platform.generated_secrets import read_or_create
from chalicelib.triggers.deployment import OWNER_KEY, RESUME_SECONDS, failing_plainly

RECOVERY = "recover_admin_key"
"""The field of the event that asks for it: an object, with `organization_id` where there are several."""

_LOGGER = logging.getLogger(__name__)


def recover_or_raise(asked: object) -> Mapping[str, Any]:
    """Recover a key in the database that the environment names. Raises DatabaseNotPrepared, without values."""
    with failing_plainly("No key was made."), database_ownership() as ownership:
        return recover(ownership, asked, seconds=RESUME_SECONDS)


def recover(ownership: Ownership, asked: object, *, seconds: float) -> Mapping[str, Any]:
    """Put a new admin's key into the secret of the first owner's, and return whose it is, without the key.

    `seconds` is how long a paused database may take to resume.
    Raises InvalidIdentity, OrganizationNotFound, DatabaseUnavailable, SecretsUnavailable.
    """
    organization_id = _organization_of(asked)
    secrets = ownership.secrets
    pepper = read_or_create(secrets, "api-key-pepper").encode()

    def keep(recovered: RecoveredKey) -> None:
        secrets.write(OWNER_KEY, recovered.token)

    wait_for_server(ownership.conninfo, seconds=seconds)
    database = Database(ownership.conninfo, pool_size=1)
    try:
        with database.transaction() as tx:
            recovered = recover_admin_key(tx, organization_id=organization_id, pepper=pepper, keep=keep)
    finally:
        database.close()
    report = {
        "organization_id": str(recovered.organization.id),
        "member_id": str(recovered.member_id),
        "api_key_id": str(recovered.api_key_id),
        "kept_in": OWNER_KEY,
    }
    _LOGGER.warning("An operator made an admin's key: %s", report)
    return report


def _organization_of(asked: object) -> OrganizationId | None:
    if not isinstance(asked, Mapping) or set(asked) - {"organization_id"}:
        raise InvalidIdentity(f'Ask with {{"{RECOVERY}": {{}}}}, or with an organization_id in it.')
    named = asked.get("organization_id")
    if named is None:
        return None
    try:
        return OrganizationId(UUID(named))
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidIdentity("The organization_id is no id.") from error
