"""Folders of jobs go with them, and those of processes that were cut off go with the next one that begins."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from chalicelib.intake import scratch
from chalicelib.intake.scratch import scratch_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_cleared_by", [])
    return tmp_path


def left_by(temporary: Path, owner: object) -> Path:
    folder = temporary / f"lorebase-{owner}-abc"
    folder.mkdir()
    (folder / "original").write_bytes(b"bytes")
    return folder


def dead_process() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_a_folder_is_there_and_gone_afterwards(temporary: Path) -> None:
    with scratch_folder() as folder:
        (folder / "original").write_bytes(b"bytes")
        assert folder.parent == temporary
    assert list(temporary.iterdir()) == []


def test_what_a_process_left_that_was_cut_off_is_cleared_away(temporary: Path) -> None:
    # On Lambda the next process often has the very number of the one before.
    for owner in (dead_process(), os.getpid()):
        left_by(temporary, owner)
    with scratch_folder() as folder:
        assert list(temporary.iterdir()) == [folder]


def test_what_others_use_or_made_stays(temporary: Path) -> None:
    kept = {left_by(temporary, owner) for owner in (os.getppid(), "model", 10**30)}
    with scratch_folder() as folder:
        assert {*temporary.iterdir()} == {*kept, folder}


def test_a_folder_that_is_in_use_survives_the_next_job(temporary: Path) -> None:
    with scratch_folder() as first, scratch_folder() as second:
        assert {*temporary.iterdir()} == {first, second}
