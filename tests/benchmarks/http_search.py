"""Speed of searches over HTTP: `python -m tests.benchmarks.http_search HOME`.

Starts `lorebase serve` on a data folder that has been filled before, asks each question once to warm up and then a
number of rounds over one kept connection, and prints p50 and p95 beside those of the health check over the same
connection, which is the floor of HTTP itself.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.benchmarks.search import QUESTIONS
from tests.benchmarks.start import client_of, is_answered, serve, wait_until

_ROUNDS = 25


def main(home: Path) -> None:
    """Ask and print what was seen."""
    with serve(home) as process:
        client = client_of(home, process)
        workspace = client.get("/v1/workspaces").json()["workspaces"][0]["id"]
        wait_until(lambda: is_answered(client, workspace))

        def ask(question: str) -> None:
            client.get(f"/v1/workspaces/{workspace}/search", params={"q": question}).raise_for_status()

        def check(_question: str) -> None:
            client.get("/v1/health").raise_for_status()

        searches, floor = _timed(ask), _timed(check)
        print(f"{len(QUESTIONS) * _ROUNDS} searches over HTTP, milliseconds (p50, p95): {_shown(searches)}")
        print(f"health over HTTP: {_shown(floor)}")
        process.terminate()
        process.wait(60)


def _timed(call: Callable[[str], None]) -> Sequence[float]:
    for question in QUESTIONS:
        call(question)
    times = []
    for _ in range(_ROUNDS):
        for question in QUESTIONS:
            started = time.perf_counter()
            call(question)
            times.append((time.perf_counter() - started) * 1000)
    return times


def _shown(times: Sequence[float]) -> str:
    return f"{statistics.median(times):.1f} {statistics.quantiles(times, n=20)[-1]:.1f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
