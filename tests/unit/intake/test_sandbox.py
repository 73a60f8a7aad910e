import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from chalicelib.intake.errors import (
    ExtractionFailed,
    MemoryExceeded,
    NoTextFound,
    TextExceeded,
    TimeExceeded,
    UnsupportedType,
)
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.sandbox import Sandbox
from chalicelib.intake.sniff import MediaType

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory, nor show it in /proc")
MARKDOWN = MediaType("text/markdown")
LIMITS = ExtractLimits(seconds=30)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text("---\ndate: 2024-01-02\n---\n# Hello\nworld\n")
    return path


def test_a_warm_child_is_used_again(note: Path) -> None:
    with Sandbox(size=1) as sandbox:
        found = sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
        first = sandbox._idle[0].pid
        sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
        assert sandbox._idle[0].pid == first
    assert (found.title, found.metadata, found.body) == ("Hello", {"date": "2024-01-02"}, "# Hello\nworld\n")


def test_a_refusal_keeps_its_kind_and_its_child(note: Path) -> None:
    with Sandbox(size=1) as sandbox:
        note.write_text("")
        with pytest.raises(NoTextFound):
            sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
        with pytest.raises(UnsupportedType) as unsupported:
            sandbox.extract(note, MediaType("image/png"), filename="note.png", limits=LIMITS)
        assert "text/markdown" in str(unsupported.value.members["taken"])
        assert len(sandbox._idle) == 1


def test_a_child_killed_while_idle_is_replaced(note: Path) -> None:
    with Sandbox(size=1) as sandbox:
        sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
        child = sandbox._idle[0]
        os.kill(child.pid, signal.SIGKILL)
        child._process.wait()
        assert sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS).title == "Hello"
        assert sandbox._idle[0].pid != child.pid


def test_time_runs_out_for_one_document_alone(note: Path, tmp_path: Path) -> None:
    big = tmp_path / "big.html"
    big.write_text("<p>" + "<i>word</i> " * 400_000)
    with Sandbox(size=1) as sandbox:
        with pytest.raises(TimeExceeded):
            sandbox.extract(big, MediaType("text/html"), filename="big.html", limits=replace(LIMITS, seconds=0.05))
        assert sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS).title == "Hello"


@linux
@pytest.mark.parametrize(
    ("media_type", "content"),
    [("text/plain", b"a" * 120_000_000), ("text/html", b"<p>" + b"<i>word</i> " * 3_000_000)],
    ids=["python", "libxml2"],
)
def test_memory_runs_out_for_one_document_alone(note: Path, tmp_path: Path, media_type: str, content: bytes) -> None:
    big = tmp_path / "big"
    big.write_bytes(content)
    with Sandbox(size=1) as sandbox:
        limits = replace(LIMITS, memory_bytes=200_000_000)
        with pytest.raises(MemoryExceeded):
            sandbox.extract(big, MediaType(media_type), filename="big", limits=limits)
        assert sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS).title == "Hello"


def test_more_text_than_allowed_is_refused(note: Path) -> None:
    with Sandbox(size=1) as sandbox, pytest.raises(TextExceeded):
        sandbox.extract(note, MARKDOWN, filename="note.md", limits=replace(LIMITS, characters=5))


def test_threads_share_the_pool(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.md" for number in range(24)]
    for path in paths:
        path.write_text(f"# Note {path.stem}\n")
    with Sandbox(size=2) as sandbox, ThreadPoolExecutor(6) as threads:
        found = threads.map(lambda path: sandbox.extract(path, MARKDOWN, filename=path.name, limits=LIMITS), paths)
        assert [each.title for each in found] == [f"Note {path.stem}" for path in paths]
        assert len(sandbox._idle) <= 2


def test_the_child_knows_no_secrets(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    with Sandbox(size=1) as sandbox:
        sandbox.extract(note, MARKDOWN, filename="note.md", limits=LIMITS)
        environment = Path(f"/proc/{sandbox._idle[0].pid}/environ")
        if not environment.exists():
            pytest.skip("needs /proc")
        assert b"hush" not in environment.read_bytes()


def test_every_failure_names_its_reason() -> None:
    reasons = [leaf.reason for leaf in ExtractionFailed.__subclasses__()]
    assert len(set(reasons)) == len(reasons) == 9
