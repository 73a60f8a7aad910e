"""The embedded PostgreSQL on a real data folder, as root and as an ordinary user."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from chalicelib.database.database import Database
from chalicelib.database.statements import parse_statements
from chalicelib.platform.local.postgres.account import Account
from chalicelib.platform.local.postgres.binaries import Binaries
from chalicelib.platform.local.postgres.errors import PostgresVersionMismatch
from chalicelib.platform.local.postgres.launcher import start_postgres
from tests.fixtures.applications import Application, is_gone, postmaster_of

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "postgres"


def test_stopping_and_starting_again_loses_nothing(folder: Path, postgres_binaries: Binaries) -> None:
    for expected in ("1", "2"):
        application = Application(folder, postgres_binaries)
        pid = postmaster_of(folder)
        assert application.said[:3] == [expected, "ä", "on"]
        application.stop()
        assert is_gone(pid)
        assert not Path(str(conninfo_to_dict(application.conninfo)["host"])).exists()


def test_the_folder_and_the_socket_are_for_its_owner_alone(folder: Path, postgres_binaries: Binaries) -> None:
    parents = {parent: stat.S_IMODE(parent.stat().st_mode) for parent in folder.parents}
    with start_postgres(folder, binaries=postgres_binaries) as server:
        socket_folder = Path(str(conninfo_to_dict(server.conninfo)["host"]))
        inside = [folder, folder / "cluster", socket_folder]
        assert [stat.S_IMODE(path.stat().st_mode) for path in inside] == [0o700] * 3
        with psycopg.connect(server.conninfo) as connection:
            assert connection.execute("show listen_addresses").fetchone() == ("",)
    assert {parent: stat.S_IMODE(parent.stat().st_mode) for parent in folder.parents} == parents


@as_root
def test_root_has_an_existing_lesser_account_run_it_below_a_folder_that_account_cannot_enter(
    folder: Path, postgres_binaries: Binaries
) -> None:
    accounts = Path("/etc/passwd").read_bytes()
    folder.parent.chmod(0o700)
    with start_postgres(folder, binaries=postgres_binaries):
        assert Path(f"/proc/{postmaster_of(folder)}").stat().st_uid != 0
    assert Path("/etc/passwd").read_bytes() == accounts


@as_root
def test_an_ordinary_user_runs_it_under_the_own_account(private: Path, postgres_binaries: Binaries) -> None:
    nobody = pwd.getpwnam("nobody")
    account = Account(nobody.pw_name, nobody.pw_uid, nobody.pw_gid)
    private.chmod(0o755)
    binaries = postgres_binaries.reachable_by(account, place=private / "cache")
    application = Application(private / "data", binaries, user="nobody")
    assert application.said[:3] == ["1", "ä", "on"]
    status = Path(f"/proc/{postmaster_of(private / 'data')}").stat()
    application.stop()
    assert status.st_uid == private.stat().st_uid


@pytest.fixture
def private() -> Iterator[Path]:
    """A folder that `nobody` owns and reaches; pytest's own lie below one of mode 0700."""
    made = Path(subprocess.run(["/bin/mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    shutil.chown(made, "nobody")
    yield made
    shutil.rmtree(made)


@as_root
def test_another_user_at_the_socket_is_refused(folder: Path, postgres_binaries: Binaries) -> None:
    with start_postgres(folder, binaries=postgres_binaries) as server:
        socket_folder = Path(str(conninfo_to_dict(server.conninfo)["host"]))
        assert "Permission denied" in _connect_as("daemon", server.conninfo)
        # Even where the file system would let them in, the server does not.
        socket_folder.chmod(0o755)
        (socket_folder / ".s.PGSQL.5432").chmod(0o777)
        assert "Peer authentication failed" in _connect_as("daemon", server.conninfo)


def _connect_as(user: str, conninfo: str) -> str:
    program = "import os, psycopg, sys; os.setuid(int(sys.argv[2])); psycopg.connect(sys.argv[1])"
    command = [sys.executable, "-c", program, conninfo, str(pwd.getpwnam(user).pw_uid)]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    assert tried.returncode != 0
    return tried.stderr


@pytest.mark.parametrize(
    "name",
    ["with spaces and 'quotes'", "long" * 50, "ünïcode", "$HOME;`id`"],
    ids=["spaces", "long", "unicode", "shell"],
)
def test_any_path_will_do(tmp_path: Path, postgres_binaries: Binaries, name: str) -> None:
    with start_postgres(tmp_path / name / "data", binaries=postgres_binaries) as server:
        assert len(str(conninfo_to_dict(server.conninfo)["host"])) < 90
        with psycopg.connect(server.conninfo) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_the_locale_of_the_environment_does_not_matter(folder: Path, postgres_binaries: Binaries) -> None:
    application = Application(folder, postgres_binaries, lang="C")
    assert application.said[1] == "ä"
    application.stop()


def test_a_folder_of_another_major_version_is_refused_with_the_way_out(
    folder: Path, postgres_binaries: Binaries
) -> None:
    start_postgres(folder, binaries=postgres_binaries).stop()
    (folder / "cluster" / "PG_VERSION").write_text("15\n", "ascii")
    with pytest.raises(PostgresVersionMismatch, match=r"made by PostgreSQL 15.*pg_dump.*docs/operations\.md"):
        start_postgres(folder, binaries=postgres_binaries)


def test_an_initdb_that_was_interrupted_leaves_no_half_made_cluster(
    folder: Path, postgres_binaries: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("chalicelib.platform.local.postgres.cluster._run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            start_postgres(folder, binaries=postgres_binaries)
    assert sorted(path.name for path in folder.iterdir()) == ["postgres.log", "starting.lock"]
    start_postgres(folder, binaries=postgres_binaries).stop()


@as_root
def test_binaries_that_the_servers_account_cannot_reach_are_copied_where_it_can(
    tmp_path: Path, private: Path, postgres_binaries: Binaries
) -> None:
    nobody = Account("nobody", private.stat().st_uid, 65534)
    hidden = tmp_path / "site-packages"
    package = hidden / postgres_binaries.package.name
    shutil.copytree(postgres_binaries.package, package, symlinks=True)
    libraries = postgres_binaries.package.with_name(f"{postgres_binaries.package.name}.libs")
    shutil.copytree(libraries, hidden / libraries.name)
    tmp_path.chmod(0o700)
    private.chmod(0o755)
    unreachable = Binaries(package / postgres_binaries.root.relative_to(postgres_binaries.package), package)
    copy = unreachable.reachable_by(nobody, place=private / "cache")
    again = unreachable.reachable_by(nobody, place=private / "cache")
    assert copy.root != unreachable.root
    assert again == copy
    said = subprocess.run([copy.program("initdb"), "--version"], user="nobody", capture_output=True, check=True)
    assert f" {copy.major}." in said.stdout.decode()


def test_a_restart_of_the_server_between_two_calls_goes_unnoticed(folder: Path, postgres_binaries: Binaries) -> None:
    with start_postgres(folder, binaries=postgres_binaries) as server, (folder / "restart.log").open("wb") as log:
        database = Database(server.conninfo)
        statements = parse_statements("-- name: one\n-- One row.\nselect 1 as one\n", origin="tests")
        for _ in range(2):
            with database.transaction() as tx:
                assert tx.fetch_one(statements["one"]) == {"one": 1}
            assert server._cluster.run("pg_ctl", ["restart", "-w", "-m", "fast"], output=log, limit=60) == 0
        database.close()


@pytest.mark.slow
def test_a_parallel_index_build_needs_no_room_in_dev_shm(folder: Path, postgres_binaries: Binaries) -> None:
    before = {entry.name for entry in Path("/dev/shm").iterdir() if entry.name.startswith("PostgreSQL")}
    with start_postgres(folder, binaries=postgres_binaries) as server, psycopg.connect(server.conninfo) as connection:
        connection.execute("create extension vector")
        connection.execute(
            "create table v as select array[i, i % 7, i % 11]::vector(3) as e from generate_series(1, 9000) i"
        )
        connection.execute("set local min_parallel_table_scan_size = 0")
        connection.execute("alter table v set (parallel_workers = 2)")
        connection.execute("create index on v using hnsw (e vector_l2_ops)")
        after = {entry.name for entry in Path("/dev/shm").iterdir() if entry.name.startswith("PostgreSQL")}
    assert after <= before
