"""One server at a time has a data folder."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib.platform.local.data_folder import DataFolder, DataFolderClosed, DataFolderInUse

_SERVER = """
import sys
from pathlib import Path
from chalicelib.platform.local.data_folder import DataFolder
held = DataFolder(Path(sys.argv[1])).occupy("http://127.0.0.1:8000")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    made = DataFolder(tmp_path / "home")
    made.create()
    return made


def test_the_layout_is_for_its_owner_alone(folder: DataFolder) -> None:
    folder.create()
    inside = [folder.root, folder.postgres, folder.originals, folder.secrets]
    assert [stat.S_IMODE(path.stat().st_mode) for path in inside] == [0o700] * 4


def test_a_second_server_is_told_who_has_the_folder_and_the_first_keeps_it(folder: DataFolder) -> None:
    with folder.occupy("http://127.0.0.1:8000"):
        for _ in range(2):
            with pytest.raises(DataFolderInUse, match=r"already runs on .*http://127\.0\.0\.1:8000") as refused:
                folder.occupy("http://127.0.0.1:9000")
            assert refused.value.members == {
                "folder": str(folder.root),
                "pid": os.getpid(),
                "url": "http://127.0.0.1:8000",
            }


def test_a_folder_that_was_released_can_be_had_again(folder: DataFolder) -> None:
    folder.occupy("http://127.0.0.1:8000").release()
    folder.occupy("http://127.0.0.1:9000").release()


def test_a_killed_server_leaves_no_lock(folder: DataFolder) -> None:
    root = Path(__file__).resolve().parents[4]
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(folder.root)],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "held\n"
        with pytest.raises(DataFolderInUse) as refused:
            folder.occupy("http://127.0.0.1:9000")
        server.kill()
    assert refused.value.members["pid"] == server.pid
    folder.occupy("http://127.0.0.1:9000").release()


def test_a_folder_that_cannot_be_made_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for root, reason in ((tmp_path / "file", "File exists"), (tmp_path / "file" / "inside", "Not a directory")):
        with pytest.raises(DataFolderClosed, match=f"cannot be made: {reason}. Set LOREBASE_HOME"):
            DataFolder(root).create()
