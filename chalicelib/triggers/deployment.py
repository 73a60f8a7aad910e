"""What a deployment does to the database before anything of it serves: migrate, grant, and found what is first."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from chalicelib.aws_database import Ownership, database_ownership
from chalicelib.database.application_role import grant_application_role
from chalicelib.database.database import Database
from chalicelib.database.migrate import Migration, SchemaIsNewer, migrate
from chalicelib.database.wait_for_server import wait_for_server
from chalicelib.errors import LorebaseError
from chalicelib.identity.found_first import found_first_organization
from chalicelib.identity.found_organization import Foundation
from chalicelib.platform.generated_secrets import read_or_create

OWNER_KEY = "owner-key"
"""The name of the secret with the first owner's API key."""

RESUME_SECONDS = 180.0
"""How long a paused database may take to resume."""

_LOGGER = logging.getLogger(__name__)


class DatabaseNotPrepared(Exception):
    """Why a deployment failed, in words that may be shown: CloudFormation keeps them as the reason."""


def prepare_or_raise() -> Mapping[str, Any]:
    """Prepare the database that the environment names. Raises DatabaseNotPrepared, whose message holds no values."""
    with failing_plainly("The database was not prepared."), database_ownership() as ownership:
        return prepare_database(ownership, seconds=RESUME_SECONDS)


@contextmanager
def failing_plainly(failure: str) -> Iterator[None]:
    """Raise DatabaseNotPrepared for whatever the block raises, and log that."""
    try:
        yield
    except LorebaseError as error:
        _LOGGER.exception(failure)
        raise DatabaseNotPrepared(error.detail) from None
    except Exception as error:
        # The edge: a driver's message may quote rows, which are nobody's business outside the log.
        _LOGGER.exception(failure)
        where = " ".join([type(error).__name__, *getattr(error, "__notes__", [])])
        raise DatabaseNotPrepared(f"{where}; the function's log says more") from None


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
