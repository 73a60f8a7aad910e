"""An operator who may invoke the function that migrates gets an admin's key when the last one is lost."""

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from chalicelib.database.database import Database
from chalicelib.identity.authenticate import authenticate
from chalicelib.settings import load_settings
from chalicelib.triggers.deployment import DatabaseNotPrepared
from chalicelib.triggers.functions import handle_migrations
from tests.fixtures.prepared import Stage


@pytest.fixture(autouse=True)
def fresh_settings(stage: Stage) -> Iterator[None]:  # noqa: ARG001 - its environment is what is read afresh
    load_settings.cache_clear()
    yield
    load_settings.cache_clear()


def test_a_new_key_is_put_into_the_secret_and_nowhere_else(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    handle_migrations({}, None)
    stage.aurora.run("delete from api_keys")
    caplog.set_level(logging.DEBUG, logger="chalicelib")
    report = handle_migrations({"recover_admin_key": {}}, None)
    token = stage.secret("owner-key")
    assert set(report) == {"organization_id", "member_id", "api_key_id", "kept_in"}
    assert token not in json.dumps(report) + caplog.text
    database = Database(stage.aurora.master_conninfo)
    with database.transaction() as tx:
        owner = authenticate(tx, token, pepper=b"p" * 43, now=datetime.now(UTC))
    database.close()
    assert (str(owner.id), str(owner.organization_id)) == (report["member_id"], report["organization_id"])


def test_the_organization_may_be_named(stage: Stage) -> None:
    handle_migrations(None, None)
    [(organization_id,)] = stage.aurora.run("select id::text from organizations")
    report = handle_migrations({"recover_admin_key": {"organization_id": organization_id}}, None)
    assert report["organization_id"] == organization_id


@pytest.mark.parametrize(
    "asked",
    [
        None,
        [],
        "x",
        {"organization": "x"},
        {"organization_id": "x"},
        {"organization_id": 1},
        {"organization_id": "0" * 32},
    ],
)
def test_what_cannot_be_understood_is_refused_and_makes_no_key(stage: Stage, asked: Any) -> None:
    handle_migrations({}, None)
    before = stage.secret("owner-key")
    with pytest.raises(DatabaseNotPrepared):
        handle_migrations({"recover_admin_key": asked}, None)
    assert stage.secret("owner-key") == before
    assert stage.aurora.run("select count(*) from api_keys") == [(1,)]
