"""A process that is done ends with its code, whatever its threads are at."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import atexit, threading
from chalicelib.cli.last_step import end_past_threads
atexit.register(print, "ended by the interpreter")
print("said before")
{thread}
end_past_threads(7)
"""


def run(thread: str) -> tuple[int, list[str]]:
    program = PROGRAM.format(thread=thread)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("daemon", [True, False])
def test_a_thread_that_still_works_is_left_to_it(*, daemon: bool) -> None:
    endless = f"threading.Thread(target=threading.Event().wait, daemon={daemon}).start()"
    assert run(endless) == (7, ["said before"])


def test_without_threads_the_process_goes_on() -> None:
    assert run("") == (0, ["said before", "ended by the interpreter"])
