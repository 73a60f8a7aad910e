import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib.platform.errors import OriginalsUnavailable
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner

_PUT_FOREVER = """
import io, itertools, sys
from pathlib import Path
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner
presigner = Presigner(b"key", address=lambda: "http://localhost", clock=SystemClock())
originals = LocalOriginals(Path(sys.argv[1]), presigner=presigner)
for number in itertools.count():
    originals.put(f"a/{number}", io.BytesIO(b"x" * 300_000))
    print(number, flush=True)
"""


def opened(folder: Path) -> LocalOriginals:
    return LocalOriginals(folder, presigner=Presigner(b"key", address=lambda: "http://localhost", clock=SystemClock()))


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        opened(tmp_path / "originals").put("a/b/c", io.BytesIO(b"x"))
    finally:
        os.umask(previous)
    below = [tmp_path / "originals", *(tmp_path / "originals").rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in below if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in below if path.is_file()} == {0o600}


def test_nothing_leaves_the_folder_or_depends_on_case(tmp_path: Path) -> None:
    originals = opened(tmp_path / "originals")
    keys = ["A", "a", "c:\\x", "~/x", "con", "x" * 1024, "..a/..."]
    for key in keys:
        originals.put(key, io.BytesIO(b"x"))
    assert [path.name for path in tmp_path.iterdir()] == ["originals"]
    names = [path.name for path in tmp_path.rglob("*")]
    assert all(len(name) <= 255 and name == name.lower() and name.isascii() for name in names)
    assert "con.bytes" not in names


def test_what_was_answered_survives_sigkill_and_drafts_are_swept(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PUT_FOREVER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        answered = [writer.stdout.readline() for _ in range(30)]
        writer.send_signal(signal.SIGKILL)
        answered += writer.stdout.readlines()
    originals = opened(tmp_path)
    sizes_by_key = {stored.key: stored.size for stored in originals.walk("a/")}
    assert {f"a/{line.strip()}" for line in answered if line.endswith("\n")} <= set(sizes_by_key)
    assert set(sizes_by_key.values()) == {300_000}
    (tmp_path / "drafts" / ".left.draft").write_bytes(b"half")
    assert originals.remove_drafts() >= 1
    assert list((tmp_path / "drafts").iterdir()) == []


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    originals = opened(tmp_path)
    (tmp_path / "objects" / "a").write_bytes(b"in the way")
    with pytest.raises(OriginalsUnavailable, match="folder of originals cannot be used"):
        originals.put("a/b", io.BytesIO(b"x"))
