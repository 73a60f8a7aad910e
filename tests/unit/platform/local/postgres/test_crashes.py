"""The embedded PostgreSQL through races, killed processes and what they leave behind."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from chalicelib.platform.local.postgres.binaries import Binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.local.postgres.watch import keep_running
from tests.fixtures.applications import Application, count_notes, is_gone, postmaster_of


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "postgres"


@pytest.mark.slow
def test_six_that_start_at_once_share_one_server_and_the_last_one_out_stops_it(
    folder: Path, postgres_binaries: Binaries
) -> None:
    with ThreadPoolExecutor(6) as threads:
        applications = list(threads.map(lambda _: Application(folder, postgres_binaries), range(6)))
    pid = postmaster_of(folder)
    assert len({application.conninfo for application in applications}) == 1
    for application in applications[1:]:
        application.stop()
    assert count_notes(applications[0].conninfo) == 6
    applications[0].stop()
    assert is_gone(pid)


def test_a_server_whose_application_was_killed_is_taken_over_and_stopped(
    folder: Path, postgres_binaries: Binaries
) -> None:
    first = Application(folder, postgres_binaries)
    pid = postmaster_of(folder)
    first.kill()
    second = Application(folder, postgres_binaries)
    assert (second.said[0], second.conninfo, postmaster_of(folder)) == ("2", first.conninfo, pid)
    second.stop()
    assert is_gone(pid)


def test_a_killedpostmaster_of_is_replaced_and_what_was_committed_is_there(
    folder: Path, postgres_binaries: Binaries
) -> None:
    first = Application(folder, postgres_binaries)
    # A backend at work outlives its postmaster and holds the shared memory.
    with psycopg.connect(first.conninfo, autocommit=True) as busy:
        busy.execute("create table busy (id integer)")
        os.kill(postmaster_of(folder), signal.SIGKILL)
        first.kill()
        second = Application(folder, postgres_binaries)
    assert second.said[0] == "2"
    assert not Path(str(conninfo_to_dict(first.conninfo)["host"])).exists()
    second.stop()


def test_a_server_that_is_killed_under_its_application_comes_back_at_the_same_address(
    folder: Path, postgres_binaries: Binaries
) -> None:
    with start_postgres(folder, binaries=postgres_binaries) as server:
        assert (server.is_listening(), server.revive()) == (True, False)
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute("create table kept (id integer)")
        killed = postmaster_of(folder)
        os.kill(killed, signal.SIGKILL)
        stop = threading.Event()
        watcher = threading.Thread(target=keep_running, args=(server, stop), kwargs={"every_seconds": 0.05})
        watcher.start()
        try:
            wait_until(lambda: server.is_listening() and postmaster_of(folder) != killed)
        finally:
            stop.set()
            watcher.join()
        with psycopg.connect(server.conninfo) as connection:
            assert connection.execute("select * from kept").fetchall() == []
        pid = postmaster_of(folder)
    assert is_gone(pid)


def test_a_dead_server_whose_socket_folder_was_swept_away_comes_back_there(
    folder: Path, postgres_binaries: Binaries
) -> None:
    with start_postgres(folder, binaries=postgres_binaries) as server:
        os.kill(postmaster_of(folder), signal.SIGKILL)
        shutil.rmtree(str(conninfo_to_dict(server.conninfo)["host"]))
        assert server.revive()
        with psycopg.connect(server.conninfo) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_a_dead_server_is_stopped_without_complaint(folder: Path, postgres_binaries: Binaries) -> None:
    with start_postgres(folder, binaries=postgres_binaries):
        os.kill(postmaster_of(folder), signal.SIGKILL)


def test_a_pid_file_whose_pid_belongs_to_another_process_now_is_not_believed(
    folder: Path, postgres_binaries: Binaries
) -> None:
    application = Application(folder, postgres_binaries)
    pid_file = folder / "cluster" / "postmaster.pid"
    pid, said = postmaster_of(folder), pid_file.read_text("utf-8")
    os.kill(pid, signal.SIGKILL)
    application.kill()
    owner = pid_file.parent.stat()
    bystander = subprocess.Popen(["/bin/sleep", "600"], user=owner.st_uid, group=owner.st_gid)
    try:
        pid_file.write_text(said.replace(str(pid), str(bystander.pid), 1), "utf-8")
        after = Application(folder, postgres_binaries)
        assert after.said[0] == "2"
        after.stop()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.parametrize("damage", ["", "\n", "nonsense\n"])
def test_a_broken_pid_file_is_not_believed(folder: Path, postgres_binaries: Binaries, damage: str) -> None:
    start_postgres(folder, binaries=postgres_binaries).stop()
    (folder / "cluster" / "postmaster.pid").write_text(damage, "utf-8")
    with start_postgres(folder, binaries=postgres_binaries) as server, psycopg.connect(server.conninfo) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_a_copy_of_a_running_folder_starts_a_server_of_its_own(folder: Path, postgres_binaries: Binaries) -> None:
    with start_postgres(folder, binaries=postgres_binaries) as server:
        copy = folder.with_name("copy")
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.lock"))
        for path in (copy / "cluster", *(copy / "cluster").rglob("*")):
            owner = (folder / path.relative_to(copy)).stat() if (folder / path.relative_to(copy)).exists() else None
            if owner is not None:
                os.chown(path, owner.st_uid, owner.st_gid)
        with start_postgres(copy, binaries=postgres_binaries) as other:
            assert other.conninfo != server.conninfo
        with psycopg.connect(server.conninfo) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
