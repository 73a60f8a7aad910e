import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from chalicelib.platform.errors import OriginalsUnavailable
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.drop_folder import DropFolder
from chalicelib.platform.local.drop_record import DropRecord
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner


class Drops:
    """A drop folder with the events that it emitted."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path = tmp_path
        self.folder = tmp_path / "drop"
        presigner = Presigner(b"key", address=lambda: "http://localhost", clock=SystemClock())
        self.originals = LocalOriginals(tmp_path / "originals", presigner=presigner)
        self.events: list[dict[str, Any]] = []
        self.fail = False
        self.restart()

    def restart(self) -> None:
        self.watched = DropFolder(
            self.folder,
            originals=self.originals,
            record=DropRecord(self.tmp_path / "drop-record"),
            clock=SystemClock(),
            emit=self.emit,
        )

    def emit(self, event: Mapping[str, Any]) -> None:
        if self.fail:
            raise OriginalsUnavailable("Not now.")
        (record,) = event["Records"]
        self.events.append(json.loads(record["body"])["detail"]["object"])

    def save(self, path: str, content: bytes = b"x") -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def keys(self) -> list[str]:
        return [event["key"] for event in self.events]

    def content(self, key: str) -> bytes:
        with self.originals.open(key) as file:
            return file.read()


@pytest.fixture
def drops(tmp_path: Path) -> Drops:
    return Drops(tmp_path)


def test_a_file_at_rest_is_put_in_the_store_and_told_of_once(drops: Drops) -> None:
    file = drops.save("team/a b/ü+1.txt", b"hello")
    assert [drops.watched.look() for _ in range(4)] == [0, 1, 0, 0]
    (event,) = drops.events
    assert (event["key"], event["size"]) == ("drop/team/a b/ü+1.txt", 5)
    assert drops.content("drop/team/a b/ü+1.txt") == b"hello"
    assert file.read_bytes() == b"hello"


def test_a_file_that_is_still_written_is_not_taken(drops: Drops) -> None:
    for length in (1, 2, 3):
        drops.save("team/a.txt", b"x" * length)
        assert drops.watched.look() == 0
    assert drops.watched.look() == 1
    assert drops.content("drop/team/a.txt") == b"xxx"


def test_a_file_that_changes_while_it_is_read_is_not_told_of(drops: Drops, monkeypatch: pytest.MonkeyPatch) -> None:
    put = drops.originals.put

    def put_while_writing(key: str, content: Any) -> Any:
        drops.save("team/a.txt", b"longer than before")
        return put(key, content)

    drops.save("team/a.txt", b"half")
    drops.watched.look()
    with monkeypatch.context() as patch:
        patch.setattr(drops.originals, "put", put_while_writing)
        assert drops.watched.look() == 0
    assert drops.events == []
    assert [drops.watched.look() for _ in range(2)] == [0, 1]
    assert drops.content("drop/team/a.txt") == b"longer than before"


def test_a_replaced_file_is_told_of_again_with_a_greater_sequencer(drops: Drops) -> None:
    drops.save("team/a.txt", b"one")
    [drops.watched.look() for _ in range(2)]
    older = drops.save("team/.new", b"two")
    os.utime(older, (1, 1))
    older.rename(drops.folder / "team/a.txt")
    [drops.watched.look() for _ in range(3)]
    first, second = drops.events
    assert first["key"] == second["key"]
    assert first["sequencer"] < second["sequencer"]
    assert drops.content("drop/team/a.txt") == b"two"


def test_hidden_unfinished_and_foreign_things_are_left(drops: Drops, tmp_path: Path) -> None:
    for path in (".hidden", "team/.git/config", "team/~$a.docx", "team/a.txt~", "team/a.PART", "team/Thumbs.db"):
        drops.save(path)
    for path in ("team/a.crdownload", "team/.a.txt.swp", "team/#a#", "team/.~lock.a.odt#"):
        drops.save(path)
    (tmp_path / "secret").write_bytes(b"secret")
    (drops.folder / "team/link.txt").symlink_to(tmp_path / "secret")
    (drops.folder / "team/linked").symlink_to(tmp_path)
    os.mkfifo(drops.folder / "team/pipe.txt")
    assert [drops.watched.look() for _ in range(3)] == [0, 0, 0]
    assert list(drops.originals.walk("")) == []


def test_what_was_taken_is_remembered_over_a_restart(drops: Drops) -> None:
    drops.save("team/a.txt")
    drops.save("team/b.txt")
    [drops.watched.look() for _ in range(2)]
    with (drops.tmp_path / "drop-record").open("ab") as file:
        file.write(b'["team/c.t')
    drops.restart()
    drops.save("team/b.txt", b"new")
    [drops.watched.look() for _ in range(3)]
    assert drops.keys() == ["drop/team/a.txt", "drop/team/b.txt", "drop/team/b.txt"]


def test_a_lost_record_repeats_the_same_event(drops: Drops) -> None:
    drops.save("team/a.txt")
    [drops.watched.look() for _ in range(2)]
    (drops.tmp_path / "drop-record").unlink()
    drops.restart()
    [drops.watched.look() for _ in range(2)]
    first, second = drops.events
    assert first == second


def test_an_event_that_could_not_be_told_is_told_at_a_later_look(
    drops: Drops, caplog: pytest.LogCaptureFixture
) -> None:
    drops.save("team/a.txt")
    drops.fail = True
    with caplog.at_level(logging.WARNING):
        assert [drops.watched.look() for _ in range(4)] == [0, 0, 0, 0]
    assert len(caplog.messages) == 1
    drops.fail = False
    assert drops.watched.look() == 1
    assert drops.keys() == ["drop/team/a.txt"]


def test_a_file_that_cannot_be_taken_does_not_stop_the_others(drops: Drops, caplog: pytest.LogCaptureFixture) -> None:
    drops.save("lonely.txt")
    drops.save("team/" + "/".join(["x" * 200] * 6))
    drops.save("team/line\nbreak.txt")
    (drops.folder / os.fsdecode(b"team/\xff.txt")).write_bytes(b"x")
    drops.save("team/z.txt")
    with caplog.at_level(logging.WARNING):
        [drops.watched.look() for _ in range(3)]
    assert drops.keys() == ["drop/team/z.txt"]
    assert len(caplog.messages) == 4


def test_watching_looks_until_it_is_stopped(drops: Drops) -> None:
    stop, told = Event(), Event()
    emit = drops.emit

    def tell(event: Mapping[str, Any]) -> None:
        emit(event)
        told.set()

    drops.emit = tell  # type: ignore[method-assign]
    drops.restart()
    drops.save("team/a.txt")
    thread = Thread(target=drops.watched.watch, args=(stop,), kwargs={"every_seconds": 0.01})
    thread.start()
    assert told.wait(30)
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
