"""The whole journey as the role that functions are: logged in by a token of IAM, over verified TLS, and no owner."""

from collections.abc import Iterator
from urllib.parse import parse_qs

import psycopg
import pytest

from chalicelib import bootstrap
from chalicelib.bootstrap import install_application, wire_aws
from chalicelib.database.database import Database
from chalicelib.settings import load_settings
from chalicelib.triggers.functions import handle_migrations, handle_sweep
from tests.fixtures.aws import sqs_event
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.journey import DONE, Journey
from tests.fixtures.prepared import Stage
from tests.fixtures.reception import object_created

TRAVEL = "# Travel\n\nEmployees are reimbursed for railway tickets within ten days.\n"


def password_of(database: Database) -> str:
    assert database._password is not None
    return database._password()


@pytest.fixture
def served(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journey]:
    """The prepared stage, served by functions whose embedder needs a new space."""
    settings = stage.settings
    handle_migrations({}, None)
    monkeypatch.setattr(bootstrap, "_embedders_of", lambda *_: [WordEmbedder()])
    wired = wire_aws(settings)
    # What the password of the role is, Aurora finds out from the token itself.
    token = password_of(wired.database)
    assert parse_qs(token)["DBUser"] == [stage.aurora.role]
    stage.aurora.server.set_password(stage.aurora.role, token)
    install_application(wired)
    yield Journey(stage.aws, wired)
    install_application(None)
    wired.close()
    load_settings.cache_clear()


def test_a_document_goes_in_and_is_found_by_words_and_by_vectors(served: Journey, stage: Stage) -> None:
    served.put("drop/acme/travel.md", TRAVEL)
    served.tell(object_created("drop/acme/travel.md"))
    served.drain()
    [hit] = served.search("how do I get reimbursed for railway tickets")
    assert (hit.path, hit.revision) == ("travel.md", 1)
    [(owner,)] = stage.aurora.run("select tableowner::text from pg_tables where tablename = 'embeddings'")
    indexes = stage.aurora.run("select indexname from pg_indexes where indexname ~ '^embeddings_space_[0-9]+$'")
    assert (owner, len(indexes)) == ("lorebase_master", 1)
    assert stage.aurora.run("select count(*) from embeddings") == [(1,)]


def test_the_sweep_does_its_round(served: Journey) -> None:
    served.put("drop/acme/travel.md", TRAVEL)
    served.tell(object_created("drop/acme/travel.md"))
    assert handle_sweep(sqs_event({})) == DONE
    served.drain()
    assert served.found("railway") == [("travel.md", 1)]


def test_every_session_is_the_role_over_tls_in_utc(served: Journey, stage: Stage) -> None:
    assert served.found("railway") == []
    sessions = stage.aurora.run(
        f"select distinct usename::text, application_name from pg_stat_activity where datname = '{stage.aurora.name}'"
        " and pid <> pg_backend_pid()"
    )
    assert sessions == [(stage.aurora.role, "lorebase")]
    assert "sslmode=verify-full" in served.wired.database.conninfo


def test_the_role_alters_nothing(served: Journey) -> None:
    database = served.wired.database
    with psycopg.connect(database.conninfo, password=password_of(database), autocommit=True) as session:
        for statement in ("drop table items", "truncate items", "create table mine (id integer)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(statement.encode())
