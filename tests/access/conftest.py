"""What tests of access may ask for."""

from collections.abc import Iterator

import pytest

from chalicelib.database.database import Database
from tests.fixtures.databases import fresh_database
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.lorebases import Lorebase


@pytest.fixture(scope="module")
def settled(postgres: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lorebase]:
    """A Lorebase for all cases of a module: each case founds organizations of its own in it."""
    for conninfo in fresh_database(postgres, template):
        database = Database(conninfo)
        lorebase = Lorebase(database, tmp_path_factory.mktemp("home"), embedder=WordEmbedder())
        yield lorebase
        lorebase.wired.close()
        database.close()
