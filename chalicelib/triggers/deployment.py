"""What a deployment does to the database before anything of it serves: migrate, grant, and found what is first."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.database.application_role import grant_application_role
from chalicelib.database.database import Database
from chalicelib.database.migrate import Migration, SchemaIsNewer, migrate
from chalicelib.database.wait_for_server import wait_for_server
from chalicelib.identity.found_first import found_first_organization
from chalicelib.identity.found_organization import Foundation
from chalicelib.platform.generated_secrets import read_or_create
from chalicelib.platform.ports import Secrets

OWNER_KEY = "owner-key"
"""The name of the secret with the first owner's API key."""

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ownership:
    """What it takes: the owner's way into the database, the name of the role that serves, the secret store."""

    conninfo: str = field(repr=False)
    role: str
    secrets: Secrets


def prepare_database(ownership: Ownership, *, seconds: float) -> Mapping[str, Any]:
    """Bring the database to this version and return what was done, without secrets.

    `seconds` is how long a paused database may take to resume. Older code than the schema does nothing and
    succeeds: CloudFormation runs it when it rolls a deployment back, and a failure there would leave the stack
    stuck between two versions. Everywhere else such code refuses to start.

    Raises DatabaseUnavailable, MigrationChanged, SecretsUnavailable, or what a migration met.
    """
    wait_for_server(ownership.conninfo, seconds=seconds)
    try:
        applied = migrate(ownership.conninfo)
    except SchemaIsNewer as error:
        _LOGGER.warning("Nothing is migrated back: %s", error.detail)
        return {"schema": "newer", "applied": [], "organization": "kept"}
    grant_application_role(ownership.conninfo, role=ownership.role)
    founded = _found_first(ownership)
    report = {"schema": "current", "applied": _names(applied), "organization": "founded" if founded else "kept"}
    _LOGGER.info("The database is prepared: %s", report)
    return report


def _found_first(ownership: Ownership) -> bool:
    secrets = ownership.secrets
    pepper = read_or_create(secrets, "api-key-pepper").encode()

    def keep(foundation: Foundation) -> None:
        secrets.write(OWNER_KEY, foundation.token)

    database = Database(ownership.conninfo, pool_size=1)
    try:
        with database.transaction() as tx:
            return found_first_organization(tx, owner_name="Owner", pepper=pepper, keep=keep) is not None
    finally:
        database.close()


def _names(migrations: Sequence[Migration]) -> Sequence[str]:
    return [f"{migration.number:04}_{migration.name}" for migration in migrations]
