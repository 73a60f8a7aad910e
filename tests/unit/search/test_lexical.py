"""The lexical lane against BM25 computed the long way."""

import random

import pytest

from chalicelib.access.readers import audiences_of
from chalicelib.database.database import Database
from chalicelib.index.bm25 import K1, TITLE_REPEATS, B, inverse_frequency
from chalicelib.items.model import ItemFilters
from chalicelib.search.lexical import find_by_words, weigh_question
from chalicelib.search.model import Level
from chalicelib.search.store import Reach, find_contents
from tests.fixtures.indexing import IndexRoom

_WORDS = [f"w{chr(97 + n)}x" for n in range(20)]


@pytest.mark.parametrize("few", [0, 10**6], ids=["some", "all"])
@pytest.mark.parametrize("level", list(Level))
def test_the_first_places_are_those_of_bm25(
    database: Database, monkeypatch: pytest.MonkeyPatch, few: int, level: Level
) -> None:
    monkeypatch.setattr("chalicelib.search.lexical._FEW_CHUNKS", few)
    monkeypatch.setattr("chalicelib.search.lexical._FEW_OF", 10**6)
    monkeypatch.setattr("chalicelib.search.lexical._RARE_CHUNKS", 3)
    monkeypatch.setattr("chalicelib.index.reweigh._DRIFT", 1.0001)
    room = IndexRoom(database)
    chance = random.Random(5)
    bodies = {
        f"{n}.md": chance.choices(_WORDS, weights=[1 / (r + 1) for r in range(20)], k=chance.randint(5, 60))
        for n in range(40)
    }
    for path, words in bodies.items():
        room.add(path, " ".join(words), title="same", language="en")
    length_of = {path: len(words) + TITLE_REPEATS for path, words in bodies.items()}
    average = sum(length_of.values()) / len(length_of)

    def score(path: str, query: list[str]) -> float:
        pivot = K1 * (1 - B + B * length_of[path] / average)
        total = 0.0
        for word in query:
            known = sum(word in words for words in bodies.values())
            count = bodies[path].count(word)
            total += inverse_frequency(known, of=len(bodies)) * count * (K1 + 1) / (count + pivot)
        return total

    with database.transaction() as tx:
        audiences = audiences_of(tx, room.principal, room.workspace_id)
    reach = Reach(room.workspace_id, audiences, ItemFilters())
    for _ in range(20):
        query = chance.sample(_WORDS, 4)
        with database.transaction() as tx:
            contents = find_contents(tx, room.workspace_id, space=None)
            weighed = weigh_question(tx, room.workspace_id, " ".join(query), contents=contents)
            found = find_by_words(tx, reach, question=weighed, level=level, limit=40, sure=5)
        expected = sorted((score(path, query) for path in bodies), reverse=True)[:5]
        assert [one.score for one in found[:5]] == pytest.approx(expected, rel=2e-3)


def test_identifiers_titles_and_names_of_function_words_come_first(database: Database) -> None:
    room = IndexRoom(database)
    room.add("errors.md", "What to do on ERR_4711: restart the agent.", title="Errors")
    room.add("other.md", "What to do on ERR_4712 and ERR_4713: call us. The agent is who errs.", title="More errors")
    room.add("band.md", "They played until midnight.", title="The Who")
    room.add("release.md", "Release v1.2.3 mends the parser.", title="Notes")
    room.add("release2.md", "Release v1.2.4 mends the printer.", title="Notes")
    assert room.paths("ERR_4711")[0] == "errors.md"
    assert room.paths("the who")[0] == "band.md"
    assert room.paths("v1.2.4")[0] == "release2.md"
    assert room.paths("1.2.3")[0] == "release.md"


def test_scripts_without_blanks_are_searched_inside(database: Database) -> None:
    room = IndexRoom(database)
    room.add("ja.md", "日本語のテスト文書です", title="a")
    room.add("zh.md", "这是一个测试", title="b")
    room.add("ko.md", "번역을 부탁해", title="c")
    assert [room.paths(query)[0] for query in ("テスト", "测试", "번역")] == ["ja.md", "zh.md", "ko.md"]
