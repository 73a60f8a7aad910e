"""What is loaded at a start is what searches will ask for, and nothing else."""

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.find_in_use import find_in_use
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_OLD, _NEW = "words/32", "others/48"


def spaces_in_use(database: Database, *offered: str) -> list[str]:
    embedders = Embedders.of(*map(WordEmbedder, offered))
    with database.transaction() as tx:
        return [embedder.space for embedder in find_in_use(tx, embedders=embedders)]


def test_before_the_first_vector_it_is_the_default(database: Database) -> None:
    assert spaces_in_use(database, _NEW, _OLD) == [_NEW]
    assert spaces_in_use(database) == []


def test_an_organization_with_vectors_needs_their_model_whatever_the_default_became(database: Database) -> None:
    ChangingRoom(database, WordEmbedder(_OLD)).add("a.md", "A text of some words.")
    assert spaces_in_use(database, _NEW, _OLD) == [_OLD]
    assert spaces_in_use(database, _NEW) == []
