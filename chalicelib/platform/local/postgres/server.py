"""A server that runs on a cluster: found, started and stopped. All of it is done while holding `starting_lock`."""

import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import psycopg
from psycopg.conninfo import make_conninfo

from chalicelib.platform.local.postgres.cluster import SUPERUSER, Cluster
from chalicelib.platform.local.postgres.errors import PostgresNotStarted, PostgresNotStopped
from chalicelib.platform.local.postgres.leftovers import end_orphans, read_pid_file, works_on
from chalicelib.platform.local.postgres.settings import folder_identity
from chalicelib.platform.local.postgres.sockets import (
    make_socket_folder,
    remove_socket_folder,
    renew_socket_folder,
)

DATABASE = "lorebase"
_POLL_SECONDS = 0.05


def conninfo_at(socket_folder: Path, database: str) -> str:
    """Return how to connect to `database` at the socket in `socket_folder`."""
    return make_conninfo(host=str(socket_folder), port=5432, user=SUPERUSER, dbname=database)


def find_running(cluster: Cluster, *, limit: float) -> Path | None:
    """Return the socket folder of the server that runs on `cluster`, or None.

    It runs if it answers there and says that it serves this very folder. One that is still starting, stopping
    or recovering is waited for. Raises PostgresNotStarted where it neither answers nor ends in `limit` seconds.
    """
    deadline = time.monotonic() + limit
    while True:
        said = read_pid_file(cluster.folder)
        if said is None:
            return None
        if said.socket_folder is not None and _serves(said.socket_folder, cluster):
            return said.socket_folder
        if not works_on(said.pid, cluster.folder):
            return None
        if time.monotonic() > deadline:
            raise PostgresNotStarted(
                f"Process {said.pid} holds the database in {cluster.folder} and has not answered for"
                f" {limit:.0f} s; wait for it, or end it and start again.",
                pid=said.pid,
            )
        time.sleep(_POLL_SECONDS)


def start(
    cluster: Cluster, settings: Mapping[str, str], *, log: IO[bytes], limit: float, at: Path | None = None
) -> Path:
    """Start a server on `cluster`, where none runs, and return its socket folder once it answers.

    The folder is a new one, or `at`, the one that a server had which died.
    """
    _clear_leftovers(cluster, limit=limit, kept=at)
    owner = folder_identity(cluster.folder)
    if at is not None:
        renew_socket_folder(at, cluster.account, owner=owner)
    socket_folder = at or make_socket_folder(cluster.account, owner=owner)
    cluster.configure(socket_folder, settings)
    failed = cluster.run("pg_ctl", ["start", "-w", "-t", f"{limit:.0f}"], output=log, limit=limit + 10)
    if failed or not _serves(socket_folder, cluster):
        remove_socket_folder(socket_folder, owner=owner)
        raise PostgresNotStarted(f"The database in {cluster.folder} did not start; {log.name} says why.", log=log.name)
    _create_database(socket_folder)
    return socket_folder


def stop(cluster: Cluster, socket_folder: Path, *, log: IO[bytes], limit: float) -> None:
    """Stop the server on `cluster` in an orderly way. Raises PostgresNotStopped."""
    arguments = ["stop", "-w", "-m", "fast", "-t", f"{limit:.0f}"]
    if cluster.run("pg_ctl", arguments, output=log, limit=limit + 10) != 0 and _is_held(cluster):
        raise PostgresNotStopped(
            f"The database in {cluster.folder} did not stop within {limit:.0f} s; {log.name} says why."
            " Nothing is lost: the next start takes it over.",
            log=log.name,
        )
    remove_socket_folder(socket_folder, owner=folder_identity(cluster.folder))


def is_listening(socket_folder: Path) -> bool:
    """Tell whether a server listens at the socket in `socket_folder`, without asking it anything."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        try:
            client.connect(str(socket_folder / ".s.PGSQL.5432"))
        except TimeoutError:
            return True  # busy, yet there
        except OSError:
            return False
    return True


def _is_held(cluster: Cluster) -> bool:
    said = read_pid_file(cluster.folder)
    return said is not None and works_on(said.pid, cluster.folder)


def _serves(socket_folder: Path, cluster: Cluster) -> bool:
    try:
        with psycopg.connect(conninfo_at(socket_folder, "postgres"), connect_timeout=5) as connection:
            row = connection.execute("select current_setting('lorebase.folder', true)").fetchone()
    except psycopg.OperationalError:
        return False
    return row is not None and row[0] == folder_identity(cluster.folder)


def _clear_leftovers(cluster: Cluster, *, limit: float, kept: Path | None) -> None:
    said = read_pid_file(cluster.folder)
    if not end_orphans(cluster.folder, limit=limit):
        raise PostgresNotStarted(
            f"Processes of a killed database still hold {cluster.folder}; end the `postgres` processes that work"
            " there and start again."
        )
    if said is None:
        return
    # PostgreSQL takes a pid file for a running server where any process of the account has its pid.
    (cluster.folder / "postmaster.pid").unlink(missing_ok=True)
    if said.socket_folder != kept:
        remove_socket_folder(said.socket_folder, owner=folder_identity(cluster.folder))


def _create_database(socket_folder: Path) -> None:
    with psycopg.connect(conninfo_at(socket_folder, "postgres"), autocommit=True) as connection:
        known = connection.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone()
        if known is None:
            connection.execute(f"create database {DATABASE}")
