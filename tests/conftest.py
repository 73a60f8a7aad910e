"""What every test may ask for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.aurora import aurora
from tests.fixtures.aws import aws, aws_credentials, moto_url
from tests.fixtures.databases import (
    conninfo,
    database,
    empty_conninfo,
    postgres,
    postgres_binaries,
    template,
)
from tests.fixtures.lorebases import lorebase
from tests.fixtures.model_server import models
from tests.fixtures.models import embedder, model_folder, multilingual_embedder, packed_folder
from tests.fixtures.served_models import served_folder
from tests.fixtures.tls_postgres import tls_postgres

__all__ = [
    "aurora",
    "aws",
    "aws_credentials",
    "conninfo",
    "database",
    "embedder",
    "empty_conninfo",
    "lorebase",
    "model_folder",
    "models",
    "moto_url",
    "multilingual_embedder",
    "packed_folder",
    "postgres",
    "postgres_binaries",
    "served_folder",
    "template",
    "tls_postgres",
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks a real server, so that only that is run again against another one."""
    for item in items:
        if isinstance(item, pytest.Function) and "postgres" in item.fixturenames:
            item.add_marker("postgres")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real documents beside the project; tests that need it skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the document collection at {folder}")
    return folder


@pytest.fixture(autouse=True)
def steady_environment() -> Iterator[None]:
    """Keep `os.environ` the very object that tells child processes what is set in it.

    For each request Chalice's test client puts a copy in its place; of two requests at once the later one puts the
    other's copy back, for good.
    """
    present = os.environ
    yield
    os.environ = present  # noqa: B003  the object, not its content
