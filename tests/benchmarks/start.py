"""Time from a start to the first answer, and memory: `python -m tests.benchmarks.start [FOLDER]`.

Starts `lorebase serve` on an empty data folder (cold: initdb, migrations) and again on the same (warm), each time until
health answers and until a question has been answered with the model loaded; then takes a folder in, by default one
part of the handbook. Memory is the sum of the proportional set sizes of the server, its parsers and PostgreSQL.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from chalicelib.platform.local.data_folder import DataFolder

_ROOT = Path(__file__).resolve().parents[2]
_PART = _ROOT.parent / "shared" / "data" / "handbook" / "gds-way_en"
_ROUNDS = 2
_COMMAND = [sys.executable, "-c", "from chalicelib.cli.main import main; main()"]


def main(folder: Path) -> None:
    """Run the rounds and print what was seen."""
    seen: dict[str, list[float]] = {}
    for _ in range(_ROUNDS):
        with tempfile.TemporaryDirectory() as home:
            for kind in ("cold", "warm"):
                for name, seconds in _start(Path(home)).items():
                    seen.setdefault(f"{kind}: {name}", []).append(seconds)
    for name, values in seen.items():
        print(f"{name}: median {statistics.median(values):.2f} s of {len(values)}")
    with tempfile.TemporaryDirectory() as home:
        _measure_memory(Path(home), folder)


def _start(home: Path) -> dict[str, float]:
    started = time.perf_counter()
    with serve(home) as process:
        client = client_of(home, process)
        healthy = time.perf_counter() - started
        workspace = client.get("/v1/workspaces").json()["workspaces"][0]["id"]
        wait_until(lambda: is_answered(client, workspace))
        answered = time.perf_counter() - started
        process.terminate()
        process.wait(60)
    return {"health": healthy, "first answer": answered}


def is_answered(client: httpx.Client, workspace: str) -> bool:
    answer = client.get(f"/v1/workspaces/{workspace}/search", params={"q": "travel"}).json()
    return bool(answer["lanes"]["semantic"]["state"] == "ok")


def _measure_memory(home: Path, folder: Path) -> None:
    with serve(home) as process:
        client = client_of(home, process)
        workspace = client.get("/v1/workspaces").json()["workspaces"][0]["id"]
        wait_until(lambda: is_answered(client, workspace))
        print(f"memory at rest: {_mebibytes(process.pid, home):.0f} MiB")
        upload = subprocess.Popen(
            [*_COMMAND, "upload", str(folder), "--json"], env=_environment(home), cwd=_ROOT, stdout=subprocess.DEVNULL
        )
        most = 0.0
        while upload.poll() is None:
            most = max(most, _mebibytes(process.pid, home))
            time.sleep(0.5)
        print(f"memory under intake, most: {most:.0f} MiB")
        process.terminate()
        process.wait(60)


def serve(home: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*_COMMAND, "serve"],
        env=_environment(home),
        cwd=_ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _environment(home: Path) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("LOREBASE_")}
    return {**others, "LOREBASE_HOME": str(home), "LOREBASE_PORT": "0"}


def client_of(home: Path, process: "subprocess.Popen[bytes]") -> httpx.Client:
    folder = DataFolder(home)

    def answers() -> bool:
        if process.poll() is not None:
            raise SystemExit("the server did not start")
        url = folder.server_url()
        try:
            return bool(url) and httpx.get(f"{url}/v1/health").status_code == 200
        except httpx.HTTPError:
            return False

    wait_until(answers)
    key = folder.owner_key.read_text("utf-8")
    return httpx.Client(base_url=folder.server_url() or "", headers={"Authorization": f"Bearer {key}"}, timeout=60)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("waited in vain")
        time.sleep(0.02)


def _mebibytes(pid: int, home: Path) -> float:
    postmaster = int((home / "postgres" / "cluster" / "postmaster.pid").read_text("ascii").split()[0])
    total, waiting = 0, [pid, postmaster]
    while waiting:
        each = waiting.pop()
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text("ascii").splitlines()
            waiting += [int(child) for child in Path(f"/proc/{each}/task/{each}/children").read_text("ascii").split()]
        except OSError:
            continue  # it has ended meanwhile
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _PART)
