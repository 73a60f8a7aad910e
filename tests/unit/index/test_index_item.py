"""Bringing revisions into search, on a real database with the real jobs."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.database.database import Database
from chalicelib.index.index_item import UNUSABLE_VECTORS
from chalicelib.items.create_item import create_item
from chalicelib.items.model import Attributes, Draft, IndexState
from chalicelib.jobs.model import JobId
from chalicelib.jobs.perform_job import Performance
from chalicelib.jobs.store import find_job
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.breaker import Breaker
from chalicelib.platform.embedding_batches import Deadlines
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.guarded_models import GuardedEmbedder
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import PLENTY, IndexRoom
from tests.fixtures.jobs import MovableClock

_SECTIONS = [f"# Section {n}\n\nWord{n} and some more words of section {n}." for n in range(5)]


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def room(database: Database, embedder: WordEmbedder) -> IndexRoom:
    return IndexRoom(database, embedder)


def test_spans_point_into_the_body(room: IndexRoom) -> None:
    body = "\n\n".join(_SECTIONS)
    item = room.add("a.md", body)
    chunks = room.chunks(item)
    assert [chunk.text for chunk in chunks] == [body[chunk.start : chunk.end] for chunk in chunks]
    assert [list(chunk.heading_path) for chunk in chunks] == [[f"Section {n}"] for n in range(5)]
    assert [chunk.ordinal for chunk in chunks] == list(range(5))
    assert {chunk.revision for chunk in chunks} == {1}
    indexing = room.read(item).index
    assert (indexing.state, indexing.revision, indexing.chunks) == (IndexState.READY, 1, 5)


@pytest.mark.parametrize("second", [12, 40_000], ids=["a short document", "a long one"])
def test_pages_that_begin_anywhere_come_into_search(room: IndexRoom, second: int) -> None:
    # The driver sends a list of small numbers as smallint[], which PostgreSQL compares with no integer[].
    body = "kiwi ".ljust(second) + "plum"
    draft = Draft(path="a.pdf", title="Fruit", body=body, attributes=Attributes(), page_starts=[0, second])
    with room.database.transaction() as tx:
        create_item(tx, principal=room.principal, workspace_id=room.workspace_id, draft=draft, rules=room.rules)
    room.work()
    assert room.search("plum").hits[0].page in {1, 2}
    assert room.search("kiwi").hits[0].page == 1


def test_only_what_changed_is_embedded_and_the_rest_keeps_its_ids(room: IndexRoom, embedder: WordEmbedder) -> None:
    item = room.add("a.md", "\n\n".join(_SECTIONS))
    before = room.chunks(item)
    embedder.embedded.clear()
    room.change(item, body="\n\n".join(["# New\n\nA new beginning.", *_SECTIONS[:4]]))
    after = room.chunks(item)
    assert len(embedder.embedded) == 1
    assert [chunk.id for chunk in after[1:]] == [chunk.id for chunk in before[:4]]
    assert [chunk.ordinal for chunk in after] == list(range(5))
    assert room.count("embeddings") == room.count("chunk_terms") == room.count("chunks") == 5


def test_metadata_embeds_nothing_and_moves_the_revision_on(room: IndexRoom, embedder: WordEmbedder) -> None:
    item = room.add("a.md", _SECTIONS[0])
    embedder.embedded.clear()
    room.change(item, attributes=replace(item.attributes, tags=("x",)))
    indexing = room.read(item).index
    assert (indexing.state, indexing.revision, embedder.embedded) == (IndexState.READY, 2, [])


def test_the_same_text_elsewhere_is_not_embedded_again(room: IndexRoom, embedder: WordEmbedder) -> None:
    room.add("a.md", _SECTIONS[0], title="Same")
    room.add("b.md", _SECTIONS[0], title="Same")
    assert len(embedder.embedded) == 1
    assert room.count("embeddings") == 2


def test_a_body_without_text_is_said_to_have_none(room: IndexRoom) -> None:
    item = room.add("a.md", _SECTIONS[0])
    room.change(item, body=" \n ")
    assert room.read(item).index.state is IndexState.NO_TEXT
    assert room.paths("word0") == []


def test_without_an_embedder_items_are_found_by_their_words(database: Database) -> None:
    room = IndexRoom(database)
    item = room.add("a.md", _SECTIONS[0])
    assert room.read(item).index.state is IndexState.TEXT_READY
    assert room.paths("word0") == ["a.md"]


def test_an_embedder_that_is_down_delays_vectors_not_words(room: IndexRoom, embedder: WordEmbedder) -> None:
    embedder.is_down = True
    item = room.add("a.md", _SECTIONS[0], index=False)
    job_id = room.bell.rings[0].job_id
    assert room.work() == [Performance.RETRIED]
    assert room.read(item).index.state is IndexState.TEXT_READY
    assert room.paths("word0") == ["a.md"]
    embedder.is_down = False
    assert room.retry(job_id) is Performance.DONE
    assert room.read(item).index.state is IndexState.READY
    assert room.count("embeddings") == room.count("chunks") == 1


def test_items_come_back_once_a_provider_may_be_asked_again_and_say_what_they_wait_for(
    database: Database, embedder: WordEmbedder
) -> None:
    clock = MovableClock()
    guarded = GuardedEmbedder(embedder, Breaker(now=clock.now), deadlines=Deadlines())
    room = IndexRoom(database, guarded)
    embedder.is_down = True
    room.add("a.md", _SECTIONS[0])
    embedder.is_down = False
    second = room.add("b.md", _SECTIONS[1], index=False)
    job_id = room.bell.rings[-1].job_id
    for perform in (room.perform, *[room.retry] * 5):
        assert perform(job_id) is Performance.RETRIED
    assert embedder.embedded == []
    assert room.paths("word1", mode=Mode.LEXICAL)[0] == "b.md"
    indexing = room.read(second).index
    assert (indexing.state, indexing.reason and indexing.reason["type"]) == (
        IndexState.TEXT_READY,
        "embedder-unavailable",
    )
    with database.transaction() as tx:
        job = find_job(tx, JobId(job_id))
    assert job is not None
    assert job.attempts == 0
    assert clock.now() + timedelta(seconds=5) <= job.not_before <= clock.now() + timedelta(seconds=10)
    clock.move(seconds=5)
    assert room.retry(job_id) is Performance.DONE
    indexing = room.read(second).index
    assert (indexing.state, indexing.reason) == (IndexState.READY, None)


def test_a_failed_revision_leaves_the_last_good_one_in_place(database: Database, embedder: WordEmbedder) -> None:
    room = IndexRoom(database, embedder, quotas=replace(PLENTY, chunks=1))
    item = room.add("a.md", _SECTIONS[0])
    room.change(item, body="\n\n".join(_SECTIONS))
    indexing = room.read(item).index
    assert (indexing.state, indexing.revision) == (IndexState.FAILED, 1)
    assert indexing.reason is not None
    assert indexing.reason["type"] == "quota-exceeded"
    assert room.paths("word0") == ["a.md"]
    assert room.usage()["chunks"] == 1


def test_deletion_leaves_nothing_and_subtracts_all(room: IndexRoom) -> None:
    kept = room.add("kept.md", "# Kept\n\nA shared word.")
    statistics = room.statistics()
    room.delete(room.add("gone.md", "# Gone\n\nA shared word, and another."))
    assert room.count("chunks") == room.count("chunk_terms") == room.count("embeddings") == 1
    assert room.statistics() == statistics
    assert room.usage()["chunks"] == 1
    room.delete(kept)
    assert room.statistics() == {}
    assert room.usage()["chunks"] == 0


def test_what_was_deleted_while_it_was_indexed_stays_away(room: IndexRoom, embedder: WordEmbedder) -> None:
    item = room.add("a.md", _SECTIONS[0], index=False)
    embedder.meanwhile = lambda: room.delete(item)
    assert room.work() == [Performance.LOST]
    assert room.count("chunks") == room.count("embeddings") == 0
    assert room.statistics() == {}
    assert room.usage()["chunks"] == 0
    embedder.meanwhile = None
    room.add("a.md", _SECTIONS[0])
    assert room.paths("word0") == ["a.md"]


def test_workers_side_by_side_count_right(room: IndexRoom) -> None:
    items = [room.add(f"{n}.md", "\n\n".join(_SECTIONS[: n % 5 + 1]), index=False) for n in range(20)]
    rings, room.bell.rings = room.bell.rings, []
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(room.perform, [ring.job_id for ring in rings]))
    assert set(done) == {Performance.DONE}
    assert room.statistics() == room.counted_statistics()
    assert room.usage()["chunks"] == room.count("chunks") == sum(n % 5 + 1 for n in range(20))
    for item in items:
        room.delete(item)
    assert room.statistics() == {}


def test_a_vector_without_direction_is_kept_out_and_told(room: IndexRoom, embedder: WordEmbedder) -> None:
    embedder.zero_for = "Word1"
    item = room.add("a.md", "\n\n".join(_SECTIONS))
    assert [(warning.code, warning.count) for warning in room.read(item).warnings] == [(UNUSABLE_VECTORS, 1)]
    assert room.count("embeddings") == 4
    embedder.zero_for = None
    room.change(item, title="Another")
    assert room.read(item).warnings == ()


def test_a_large_item_goes_on_where_an_attempt_ended(
    room: IndexRoom, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.index.index_item._PART", 2)
    calls = []

    def fail_at_the_second_part() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise EmbedderUnavailable("Gone for a moment.")

    embedder.meanwhile = fail_at_the_second_part
    item = room.add("a.md", "\n\n".join(_SECTIONS), index=False)
    job_id = room.bell.rings[0].job_id
    assert room.work() == [Performance.RETRIED]
    assert room.read(item).index.state is IndexState.TEXT_READY
    assert (room.count("chunks"), room.count("embeddings")) == (5, 2)
    assert room.retry(job_id) is Performance.DONE
    assert room.read(item).index.state is IndexState.READY
    assert len(embedder.embedded) == room.count("embeddings") == 5


def test_deleting_never_fails_while_workers_index(room: IndexRoom) -> None:
    items = [room.add(f"{n}.md", "\n\n".join(_SECTIONS), index=False) for n in range(40)]
    rings, room.bell.rings = room.bell.rings, []
    with ThreadPoolExecutor(6) as pool:
        performed = [pool.submit(room.perform, ring.job_id) for ring in rings]
        deleted = [pool.submit(room.delete, item) for item in items]
        assert [each.result() for each in deleted] == [None] * 40
        assert {each.result() for each in performed} <= {
            Performance.DONE,
            Performance.LOST,
            Performance.NOTHING_TO_DO,
        }
    assert room.count("chunks") == room.count("chunk_terms") == room.count("embeddings") == 0
    assert room.statistics() == {}
    assert room.usage()["chunks"] == room.usage()["items"] == 0


def test_edits_meet_workers_and_the_last_one_is_found(room: IndexRoom) -> None:
    item = room.add("a.md", "\n\n".join(_SECTIONS), index=False)

    def work() -> set[Performance]:
        return {room.perform(ring.job_id) for ring in list(room.bell.rings)}

    with ThreadPoolExecutor(4) as pool:
        edits = [pool.submit(room.change, item, body=f"# Turn\n\nTurn{n} of many.", index=False) for n in range(12)]
        works = [pool.submit(work) for _ in range(12)]
        for each in edits:
            each.result()
        assert Performance.DIED not in set().union(*(each.result() for each in works))
    room.work()
    indexing = room.read(item).index
    assert (indexing.state, indexing.revision) == (IndexState.READY, 13)
    assert room.count("chunks") == 1
    assert room.statistics() == room.counted_statistics()


def test_rows_of_a_long_table_are_found_by_its_header_and_show_only_themselves(database: Database) -> None:
    room = IndexRoom(database, WordEmbedder(), chunk_tokens=64)
    rows = [f"| office {n} | {n} days |" for n in range(30)]
    body = "# Leave\n\n| Granter | Entitlement |\n| --- | --- |\n" + "\n".join(rows)
    item = room.add("a.md", body)
    first, *others = room.chunks(item)
    assert first.opening == ""
    assert len(others) > 3
    assert {chunk.opening for chunk in others} == {"| Granter | Entitlement |"}
    assert [chunk.text for chunk in others] == [body[chunk.start : chunk.end] for chunk in others]
    hits = room.search("entitlement", mode="lexical", limit=100).hits
    assert {hit.chunk_id for hit in hits} == {chunk.id for chunk in (first, *others)}


def test_a_paragraph_at_the_top_of_a_long_document_embeds_one_or_two_chunks(
    room: IndexRoom, embedder: WordEmbedder
) -> None:
    sections = "\n\n".join(f"## Section {n}\n\nWhat stands in section {n}." for n in range(50))
    item = room.add("a.md", f"# Title\n\nIntroduction.\n\n{sections}")
    before = {chunk.id for chunk in room.chunks(item)}
    embedder.embedded.clear()
    room.change(item, body=f"# Title\n\nNew words.\n\nIntroduction.\n\n{sections}")
    after = {chunk.id for chunk in room.chunks(item)}
    assert 1 <= len(embedder.embedded) == len(after - before) <= 2
