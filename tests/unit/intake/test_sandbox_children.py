"""How the sandbox's children end, and what they can neither say, read nor leave behind."""

import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from chalicelib.intake import sandbox as sandbox_module
from chalicelib.intake.errors import MemoryExceeded, NoTextFound, ParserDied, TimeExceeded
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.sandbox import Sandbox, _Child
from chalicelib.intake.sniff import MediaType
from tests.fixtures.documents import pdf_of, pdf_page, pdf_stream

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
MARKDOWN, PDF = MediaType("text/markdown"), MediaType("application/pdf")
LIMITS = ExtractLimits(seconds=60)
PARENT = """
import sys
from pathlib import Path
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.sandbox import _Child
child = _Child()
print(child.pid, flush=True)
child.extract(Path(sys.argv[1]), "application/pdf", "slow.pdf", ExtractLimits(seconds=60))
"""


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text("---\ndate: 2024-01-02\n---\n# Hello\nworld\n")
    return path


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Return a document that takes longer to read than any of these tests."""
    operators = zlib.compress(b"BT /F1 12 Tf " + b"1 0 Td (a) Tj " * 4_000_000)
    path = tmp_path / "slow.pdf"
    path.write_bytes(
        pdf_of(
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            pdf_page(4),
            pdf_stream(operators, b"/Filter/FlateDecode"),
        )
    )
    return path


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline
        pause.wait(0.01)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def computing(pid: int) -> int:
    """Return the ticks of CPU that a process has used."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def kill_in_mid_parse(slow: Path) -> None:
    child = _Child()
    before = computing(child.pid)
    try:
        with ThreadPoolExecutor(1) as threads:
            parse = threads.submit(child.extract, slow, PDF, "slow.pdf", LIMITS)
            wait_until(lambda: computing(child.pid) > before + 10)
            os.kill(child.pid, signal.SIGKILL)
            parse.result()
    finally:
        child.stop()


def test_a_kill_from_elsewhere_is_no_want_of_memory(slow: Path) -> None:
    with pytest.raises(ParserDied) as died:
        kill_in_mid_parse(slow)
    assert died.value.members == {"exit_code": -signal.SIGKILL}


def test_a_kill_that_the_kernel_counts_is_want_of_memory(slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([3, 4])
    monkeypatch.setattr(sandbox_module, "_memory_kills", lambda: next(counts))
    with pytest.raises(MemoryExceeded):
        kill_in_mid_parse(slow)


def test_too_much_computing_is_said_to_be_too_much_time(slow: Path) -> None:
    with Sandbox(size=1) as sandbox, pytest.raises(TimeExceeded):
        sandbox.extract(slow, PDF, filename="slow.pdf", limits=replace(LIMITS, seconds=0.5))


def test_the_deadline_is_noticed_while_data_flows(note: Path) -> None:
    child = _Child()
    original = child._process.stdout
    reading, writing = os.pipe()
    os.write(writing, (50_000_000).to_bytes(8, "big"))
    child._process.stdout = os.fdopen(reading, "rb", buffering=0)
    stop = threading.Event()

    def trickle() -> None:
        while not stop.is_set():
            os.write(writing, b"x")

    with ThreadPoolExecutor(1) as threads:
        threads.submit(trickle)
        try:
            with pytest.raises(TimeExceeded):
                child.extract(note, MARKDOWN, "note.md", replace(LIMITS, seconds=0.2))
        finally:
            stop.set()
    os.close(writing)
    child.stop()
    if original:
        original.close()


def test_a_child_leaves_in_mid_parse_when_its_parent_is_killed(slow: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, slow], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        before = computing(pid)
        wait_until(lambda: computing(pid) > before + 10)
        parent.kill()
    wait_until(lambda: not is_running(pid))


def test_what_a_library_prints_or_reads_stays_out_of_the_conversation(
    note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys, yaml\n"
        "load = yaml.safe_load\n"
        "def spam(text):\n"
        "    print('x' * 200_000, flush=True)\n"
        "    os.write(1, b'y' * 1000)\n"
        "    assert not os.read(0, 10)\n"
        "    return load(text)\n"
        "yaml.safe_load = spam\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with Sandbox(size=1) as sandbox:
        for _ in range(3):
            found = sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
            assert found.metadata == {"date": "2024-01-02"}


def test_two_hundred_parses_leave_no_file_open(note: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.md"
    empty.touch()
    with Sandbox(size=1) as sandbox:
        sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
        child = sandbox._idle[0].pid
        before = [open_files(pid) for pid in (os.getpid(), child)]
        for _ in range(100):
            sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
            with pytest.raises(NoTextFound):
                sandbox.extract(empty, MARKDOWN, filename="empty.md", limits=LIMITS)
        assert [open_files(pid) for pid in (os.getpid(), child)] == before


def test_replaced_children_leave_no_file_open(note: Path) -> None:
    before = open_files(os.getpid())
    with Sandbox(size=1) as sandbox:
        for _ in range(3):
            sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
            with pytest.raises(TimeExceeded):
                sandbox.extract(note, MARKDOWN, filename="note.md", limits=replace(LIMITS, seconds=0))
    assert open_files(os.getpid()) == before


def test_no_temporary_folder_is_needed(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/proc/nowhere")
    monkeypatch.delenv("HOME", raising=False)
    with Sandbox(size=1) as sandbox:
        assert sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS).title == "Hello"


def test_eight_threads_get_their_own_answers(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.md" for number in range(80)]
    for path in paths:
        path.write_text(f"# Note {path.stem}\n" + "words " * 20_000)
    with Sandbox(size=3) as sandbox, ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda path: sandbox.extract(path, MARKDOWN, filename=path.name, limits=LIMITS), paths)
        assert [each.title for each in found] == [f"Note {path.stem}" for path in paths]
        assert len(sandbox._idle) <= 3


def test_every_character_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "faces.txt"
    text = '😀"\\\n' * 50_000
    path.write_text(text)
    with Sandbox(size=1) as sandbox:
        limits = replace(LIMITS, characters=len(text))
        assert sandbox.extract(path, MediaType("text/plain"), filename="\udcff😀.txt", limits=limits).body == text


def test_the_kernel_is_asked_to_kill_the_child_first() -> None:
    child = _Child()
    assert Path(f"/proc/{child.pid}/oom_score_adj").read_text().strip() == "1000"
    child.stop()
