"""The role that serves on AWS adds citations, changes none, and takes copies along with what is deleted for good."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from chalicelib.citations.withdraw_answer import withdraw_answer
from chalicelib.database.application_role import grant_application_role
from chalicelib.database.conninfo import with_password
from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.intake.purge_items import purge_item
from tests.fixtures.aurora import Aurora
from tests.fixtures.citing import answered, cited
from tests.fixtures.crowd import Crowd
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.lorebases import Lorebase

_PASSWORD = "of-the-role"


@pytest.fixture
def serving(aurora: Aurora, tmp_path: Path) -> Iterator[Crowd]:
    """A workspace in a database that the role serves and another one owns."""
    migrate(aurora.master_conninfo)
    grant_application_role(aurora.master_conninfo, role=aurora.role)
    aurora.server.set_password(aurora.role, _PASSWORD)
    database = Database(with_password(aurora.server.conninfo(user=aurora.role, name=aurora.name), _PASSWORD))
    lorebase = Lorebase(database, tmp_path, embedder=WordEmbedder())
    yield Crowd(lorebase)
    lorebase.wired.close()
    database.close()


def test_copies_leave_with_the_item_and_in_no_other_way(serving: Crowd) -> None:
    item, other = serving.add("a.md"), serving.add("b.md")
    answered(serving, cited(item, quote="plan"), cited(other), text="What the plan says.")
    with psycopg.connect(serving.lorebase.database.conninfo, autocommit=True) as session:
        for change in ("update answers set text = null, title = null", "delete from answers", "delete from citations"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(change.encode())
        serving.delete(item)
        serving.do(purge_item, serving.owner, item_id=item.id, rules=serving.lorebase.wired.intake_rules)
        assert session.execute("select text, title, cited from answers").fetchall() == [(None, None, 2)]
        assert session.execute("select item_id from citations").fetchall() == [(other.id,)]


def test_what_an_answer_says_is_withdrawn_by_an_owner_and_in_no_other_way(serving: Crowd) -> None:
    item = serving.add("a.md")
    answer, other = (answered(serving, cited(item, quote="plan"), text="What the plan says.") for _ in range(2))
    with psycopg.connect(serving.lorebase.database.conninfo) as session:
        session.execute("select set_config('lorebase.withdrawn_answer', %s, true)", (str(other.id),))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("update answers set text = null, title = null")
    serving.do(withdraw_answer, serving.owner, answer_id=answer.id)
    with psycopg.connect(serving.lorebase.database.conninfo) as session:
        said = session.execute("select id, text, text_characters from answers order by id").fetchall()
        assert said == [(answer.id, None, 19), (other.id, "What the plan says.", 19)]
        assert session.execute("select quote from citations").fetchall() == [("plan",), ("plan",)]
