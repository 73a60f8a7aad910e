"""Where the database is: a URL that cannot be read is refused without showing what is in it."""

import traceback
from collections.abc import Callable

import pytest

from chalicelib.database.conninfo import checked_conninfo
from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseUrlMalformed
from chalicelib.database.migrate import migrate

MALFORMED = (
    "postgres//ann:pa55word@host/lorebase",
    "postgresql://ann:pa55word@[host/lorebase",
    "postgresql://ann:pa55word%ZZ@host/lorebase",
    "host=localhost password=pa55word nonsense",
)


@pytest.mark.parametrize("conninfo", MALFORMED)
@pytest.mark.parametrize("use", [checked_conninfo, Database, migrate])
def test_a_malformed_url_is_refused_and_never_quoted(conninfo: str, use: Callable[[str], object]) -> None:
    with pytest.raises(DatabaseUrlMalformed) as refused:
        use(conninfo)
    assert "pa55word" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize("conninfo", ["", "postgresql://ann:p%40ss@host:5432/lorebase", "host=/run/x dbname=lorebase"])
def test_a_good_one_is_returned(conninfo: str) -> None:
    assert checked_conninfo(conninfo) == conninfo
