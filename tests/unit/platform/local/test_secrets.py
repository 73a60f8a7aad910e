import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chalicelib.platform.errors import SecretsUnavailable
from chalicelib.platform.local.secrets import LocalSecrets

if TYPE_CHECKING:
    from collections.abc import Callable

_CREATE = """
import sys
from pathlib import Path
from chalicelib.platform.generated_secrets import read_or_create
from chalicelib.platform.local.secrets import LocalSecrets
print(read_or_create(LocalSecrets(Path(sys.argv[1])), "pepper"))
"""


def test_only_the_owner_reads_and_no_value_is_in_the_clear(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    LocalSecrets(folder).write("name", "opensesame")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert not any(b"opensesame" in file.read_bytes() for file in folder.iterdir())


def test_a_second_process_reads_what_the_first_wrote(tmp_path: Path) -> None:
    LocalSecrets(tmp_path).write("name", "value")
    assert LocalSecrets(tmp_path).read("name") == "value"


def test_simultaneous_processes_agree_on_one_new_secret(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _CREATE, str(tmp_path / "secrets")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = {process.communicate()[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    assert answers == {LocalSecrets(tmp_path / "secrets").read("pepper")}


@pytest.mark.parametrize("lost", ["key", "secrets"])
def test_a_spoilt_file_is_told_and_never_overwritten(tmp_path: Path, lost: str) -> None:
    secrets = LocalSecrets(tmp_path)
    secrets.write("name", "value")
    (tmp_path / lost).write_bytes(b"spoilt")
    before = (tmp_path / "secrets").read_bytes()
    uses: list[Callable[[], object]] = [
        lambda: secrets.read("name"),
        lambda: secrets.write("name", "x"),
        lambda: secrets.create("new", "x"),
    ]
    for use in uses:
        with pytest.raises(SecretsUnavailable, match="Restore both files"):
            use()
    assert (tmp_path / "secrets").read_bytes() == before


def test_a_lost_key_is_told_and_no_new_one_hides_it(tmp_path: Path) -> None:
    secrets = LocalSecrets(tmp_path)
    secrets.write("name", "value")
    (tmp_path / "key").unlink()
    with pytest.raises(SecretsUnavailable):
        secrets.write("other", "x")
    assert not (tmp_path / "key").exists()
