"""The database on AWS, wired: by IAM for the functions that serve, by the master's secret for the one that migrates."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from chalicelib.database.conninfo import verified_conninfo, with_password
from chalicelib.database.database import Database
from chalicelib.platform.aws.clients import Clients
from chalicelib.platform.aws.database_login import DatabaseLogin, certificates_of
from chalicelib.platform.aws.secrets import ManagedSecrets
from chalicelib.platform.errors import DatabaseLoginUnavailable
from chalicelib.platform.ports import Clock, Secrets
from chalicelib.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class Ownership:
    """What it takes to prepare a database: its owner's login, the name of the role that serves, the secret store."""

    conninfo: str = field(repr=False)
    role: str
    secrets: Secrets


def application_database(settings: Settings, clients: Clients, clock: Clock) -> Database:
    """Return the database as functions see it: as the role that cannot alter the schema, or by a URL where one is set.

    Raises DatabaseRegionUnknown.
    """
    if settings.database_url:
        return Database(settings.database_url, pool_size=settings.database_pool_size)
    login = DatabaseLogin(
        clients.credentials,
        clock,
        region=clients.region,
        host=settings.database_host,
        port=settings.database_port,
        user=settings.database_user,
    )
    return Database(
        _conninfo(settings, clients, user=settings.database_user),
        password=login.password,
        pool_size=settings.database_pool_size,
        proxied=settings.database_proxied,
    )


@contextmanager
def database_ownership(settings: Settings | None = None) -> Iterator[Ownership]:
    """Wire the function that migrates; the environment's settings are the default.

    The master's password is read each time: RDS changes it every week.
    Raises DatabaseLoginUnavailable, SecretsUnavailable, DatabaseRegionUnknown.
    """
    settings = settings or load_settings()
    clients = Clients(endpoint_url=settings.aws_endpoint_url)
    try:
        yield Ownership(
            conninfo=settings.database_url or _master_conninfo(settings, clients),
            role=settings.database_user,
            secrets=ManagedSecrets(clients, prefix=settings.secret_prefix),
        )
    finally:
        clients.close()


def _master_conninfo(settings: Settings, clients: Clients) -> str:
    kept = ManagedSecrets(clients, prefix="").read(settings.database_master_secret)
    if kept is None:
        raise DatabaseLoginUnavailable("The secret with the master's login is not there.")
    user, password = _login_in(kept)
    return with_password(_conninfo(settings, clients, user=user), password)


def _login_in(secret: str) -> tuple[str, str]:
    """Read https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_secret_json_structure.html."""
    try:
        login = json.loads(secret)
        user, password = login["username"], login["password"]
    except (ValueError, KeyError, TypeError):
        user, password = None, None
    if isinstance(user, str) and isinstance(password, str) and user and password:
        return user, password
    raise DatabaseLoginUnavailable("The secret with the master's login has no username and password in it.")


def _conninfo(settings: Settings, clients: Clients, *, user: str) -> str:
    return verified_conninfo(
        host=settings.database_host,
        port=settings.database_port,
        name=settings.database_name,
        user=user,
        root_certificates=certificates_of(clients.region, proxied=settings.database_proxied),
    )
