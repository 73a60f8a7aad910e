"""`lorebase serve` as a process of its own: what it answered below 400 survives whatever ends it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from chalicelib.platform.local.data_folder import DataFolder

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).resolve().parents[3]
_PATIENCE = 60.0


class Served:
    """A running server on a data folder."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LOREBASE_")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from chalicelib.cli.main import main; main()", "serve"],
            cwd=_ROOT,
            env={
                **environment,
                "LOREBASE_HOME": str(home),
                "LOREBASE_PORT": "0",
                "LOREBASE_EMBEDDER": "none",
                "PYTHONUNBUFFERED": "1",
                **settings,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.said: list[str] = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        wait_until(lambda: any("Stop with" in line for line in self.said) or self.process.poll() is not None)
        assert self.process.poll() is None, self.said
        self.url = next(line.split()[-1] for line in self.said if line.startswith("Lorebase listens on"))
        key = DataFolder(home).owner_key.read_text("utf-8")
        self.client = httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=30)
        self.workspace = self.client.get("/v1/workspaces").json()["workspaces"][0]["id"]

    def upload(self, path: str, content: bytes) -> int:
        response = self.client.post(
            f"/v1/workspaces/{self.workspace}/uploads/direct",
            params={"path": path},
            content=content,
            headers={"Content-Type": "application/octet-stream"},
        )
        return response.status_code

    def paths(self) -> list[str]:
        found = self.client.get(f"/v1/workspaces/{self.workspace}/items", params={"limit": 200}).json()
        return [item["path"] for item in found["items"]]

    def status(self) -> Mapping[str, Any]:
        status: Mapping[str, Any] = self.client.get(f"/v1/workspaces/{self.workspace}/status").json()
        return status

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.client.close()
        self.process.send_signal(number)
        code = self.process.wait(_PATIENCE)
        self._reader.join(_PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def _read(self) -> None:
        if self.process.stdout is not None:
            self.said.extend(iter(self.process.stdout.readline, ""))


@contextmanager
def served(home: Path, **settings: str) -> Iterator[Served]:
    running = Served(home, **settings)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_the_first_start_shows_a_key_and_the_next_one_has_everything(tmp_path: Path) -> None:
    with served(tmp_path / "home") as first:
        assert any(re.fullmatch(r"\s*lb_\w{10}_[\w-]{43}", line.rstrip()) for line in first.said)
        assert first.client.get("/v1/health").json()["status"] == "ok"
        assert first.upload("a/b.md", b"# Title\n\nwords") == 202
        wait_until(lambda: first.paths() == ["a/b.md"])
        assert first.stop() == 0
    with served(tmp_path / "home") as second:
        assert not any("lb_" in line for line in second.said)
        assert second.paths() == ["a/b.md"]


def test_a_second_start_says_so_and_leaves_the_first_alone(tmp_path: Path) -> None:
    with served(tmp_path / "home") as first:
        second = subprocess.run(
            [sys.executable, "-c", "from chalicelib.cli.main import main; main()", "serve"],
            cwd=_ROOT,
            env={**os.environ, "LOREBASE_HOME": str(tmp_path / "home"), "LOREBASE_PORT": "0"},
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        assert second.returncode == 1
        assert first.url in second.stderr
        assert "Traceback" not in second.stderr
        assert first.client.get("/v1/health").status_code == 200


@pytest.mark.parametrize(("host", "is_warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_a_server_that_others_reach_says_that_keys_travel_in_the_clear(
    tmp_path: Path, host: str, *, is_warned: bool
) -> None:
    with served(tmp_path / "home", LOREBASE_HOST=host) as running:
        assert any("in the clear" in line for line in running.said) is is_warned


def test_nothing_answered_below_400_is_lost_by_kills_at_any_moment(tmp_path: Path) -> None:
    """Promise 1: five rounds of uploads, each cut short by SIGKILL at another moment.

    The jobs first in the queue are cut off in every round, so they are given more attempts than there are rounds.
    """
    accepted: set[str] = set()
    for number in range(5):
        running = Served(tmp_path / "home", LOREBASE_JOB_BACKOFF_SECONDS="0.1", LOREBASE_JOB_ATTEMPTS="20")

        def upload_on(number: int = number, running: Served = running) -> None:
            for count in range(200):
                path = f"round-{number}/{count}.md"
                try:
                    if running.upload(path, f"# {path}\n\nsome words".encode()) < 400:
                        accepted.add(path)
                except httpx.HTTPError:
                    return

        uploader = Thread(target=upload_on)
        uploader.start()
        wait_until(partial(_has_accepted, accepted, number, more_than=3 * number + 2))
        running.process.send_signal(signal.SIGKILL)
        uploader.join(_PATIENCE)
        running.stop(signal.SIGKILL)
    with served(tmp_path / "home", LOREBASE_JOB_ATTEMPTS="20") as last:
        wait_until(lambda: sum(last.status()["jobs"][state] for state in ("waiting", "running")) == 0)
        status = last.status()
        dead = last.client.get(f"/v1/workspaces/{last.workspace}/jobs", params={"state": "dead"}).json()["jobs"]
        found: set[str] = set()
        for number in range(5):
            answer = last.client.get(
                f"/v1/workspaces/{last.workspace}/items", params={"folder": f"round-{number}", "limit": 200}
            )
            found |= {item["path"] for item in answer.json()["items"]}
    assert accepted <= found
    assert not dead, json.dumps(dead)
    assert json.dumps(status["failures"]) == "[]"


def _has_accepted(accepted: set[str], number: int, *, more_than: int) -> bool:
    return len([path for path in tuple(accepted) if path.startswith(f"round-{number}/")]) > more_than


def test_a_database_that_is_killed_under_the_server_comes_back(tmp_path: Path) -> None:
    with served(tmp_path / "home") as running:
        assert running.upload("before.md", b"words") == 202
        pid_file = tmp_path / "home" / "postgres" / "cluster" / "postmaster.pid"
        os.kill(int(pid_file.read_text("utf-8").split()[0]), signal.SIGKILL)
        wait_until(lambda: running.client.get("/v1/health").status_code == 200)
        assert running.upload("after.md", b"words") == 202
        wait_until(lambda: running.paths() == ["after.md", "before.md"])
        assert running.stop() == 0


def test_a_file_in_the_drop_folder_becomes_an_item(tmp_path: Path) -> None:
    with served(tmp_path / "home") as running:
        drop = tmp_path / "home" / "drop" / "main" / "notes"
        drop.mkdir()
        (drop / "q1 + q2.md").write_text("# Quarter\n\nplus and blank", "utf-8")
        wait_until(lambda: running.paths() == ["notes/q1 + q2.md"])


def test_the_terminal_is_told_what_the_drop_folder_could_not_give_and_when_all_has_stopped(tmp_path: Path) -> None:
    with served(tmp_path / "home", LOREBASE_SWEEP_SECONDS="1") as running:
        drop = tmp_path / "home" / "drop" / "main" / "photo.png"
        drop.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
        refusal = "Not taken from the drop folder: main/photo.png: photo.png is a PNG image, which is not taken"
        wait_until(lambda: any(line.startswith(refusal) for line in running.said))
        assert running.stop() == 0
    assert [line.strip() for line in running.said[-2:]] == [
        "Stopping …",
        "Lorebase has stopped; the next start goes on from here.",
    ]
    assert sum(line.startswith(refusal) for line in running.said) == 1


def test_a_port_that_is_taken_is_said_so(tmp_path: Path) -> None:
    with served(tmp_path / "one") as first:
        second = subprocess.run(
            [sys.executable, "-c", "from chalicelib.cli.main import main; main()", "serve"],
            cwd=_ROOT,
            env={
                **os.environ,
                "LOREBASE_HOME": str(tmp_path / "two"),
                "LOREBASE_PORT": first.url.rpartition(":")[2],
            },
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    assert (second.returncode, "LOREBASE_PORT" in second.stderr) == (1, True)
