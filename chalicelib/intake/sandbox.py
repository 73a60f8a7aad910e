"""Parsing in a child process that may die alone: limits of time, memory and output, no secrets, kept warm.

A warm child parses many originals, one at a time, and is replaced after a failure. The pool needs threads,
pipes and a fresh interpreter only, because AWS Lambda has no /dev/shm for multiprocessing's semaphores, and
forking a parent with threads can deadlock the child.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from chalicelib.intake import errors
from chalicelib.intake.errors import ExtractionFailed, MemoryExceeded, ParserDied, TextExceeded, TimeExceeded
from chalicelib.intake.extract.model import Extract, ExtractLimits, ExtractWarning
from chalicelib.intake.sniff import MediaType

PARSES_PER_CHILD = 500
START_SECONDS = 60.0
_LAST_BREATH_SECONDS = 5.0
# A control character or quote is escaped; any other character takes at most 4 bytes of UTF-8.
_BYTES_PER_CHARACTER = 6
_MARGIN_BYTES = 4 * 1024 * 1024


class Sandbox:
    """A pool of at most `size` warm children; safe to use from any number of threads."""

    def __init__(self, *, size: int) -> None:
        self._slots = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []

    def extract(self, path: Path, media_type: MediaType, *, filename: str, limits: ExtractLimits) -> Extract:
        """Extract the original at `path`, waiting for a free child first.

        Raises UnsupportedType, or an ExtractionFailed whose `reason` says why; never takes longer than
        `limits.seconds` plus the start of a child.
        """
        with self._slots:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child and not child.is_alive():
                child.stop()
                child = None
            child = child or _Child()
            try:
                found = child.extract(path.absolute(), media_type, filename, limits)
            finally:
                if child.is_reusable():
                    with self._lock:
                        self._idle.append(child)
                else:
                    child.stop()
            return found

    def close(self) -> None:
        """Stop the idle children."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class _Child:
    """One child process and the conversation with it: length-prefixed JSON over its stdin and stdout."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-m", "chalicelib.intake.sandbox_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=_clean_environment(),
            start_new_session=True,
            bufsize=0,
        )
        self._memory_kills = 0
        self._parses = 0
        self._sound = False
        try:
            self._receive(deadline=time.monotonic() + START_SECONDS, at_most=1024)
        except BaseException:
            self.stop()
            raise
        self._sound = True

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def is_reusable(self) -> bool:
        return self._sound and self._parses < PARSES_PER_CHILD and self.is_alive()

    def stop(self) -> None:
        """Kill the child with whatever it started, and reap it."""
        self._sound = False
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._process.wait()

    def extract(self, path: Path, media_type: MediaType, filename: str, limits: ExtractLimits) -> Extract:
        request = {"path": str(path), "media_type": media_type, "filename": filename, "limits": asdict(limits)}
        self._parses += 1
        self._sound = False
        self._memory_kills = _memory_kills()
        self._send(json.dumps(request).encode(), filename)
        at_most = limits.characters * _BYTES_PER_CHARACTER + _MARGIN_BYTES
        answer = self._receive(deadline=time.monotonic() + limits.seconds, at_most=at_most, filename=filename)
        self._sound = not answer.get("spent", False)
        if "error" in answer:
            raise _error_of(answer)
        return _extract_of(answer["extract"])

    def _send(self, message: bytes, filename: str) -> None:
        pipe = self._process.stdin
        if pipe is None:
            raise ParserDied(f"{filename} could not be read: its parser is gone.")
        try:
            pipe.write(len(message).to_bytes(8, "big") + message)
        except BrokenPipeError as error:
            raise self._death(filename) from error

    def _receive(self, *, deadline: float, at_most: int, filename: str = "The document") -> dict[str, object]:
        length = int.from_bytes(self._read(8, deadline, filename), "big")
        if length > at_most:
            raise TextExceeded(f"{filename} gives more text than can be taken; split it.")
        message = json.loads(self._read(length, deadline, filename))
        if not isinstance(message, dict):
            raise ParserDied(f"{filename} made its parser answer nonsense.")
        return message

    def _read(self, count: int, deadline: float, filename: str) -> bytes:
        pipe = self._process.stdout
        if pipe is None:
            raise ParserDied(f"{filename} could not be read: its parser is gone.")
        parts: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while count:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise TimeExceeded(f"{filename} took too long to read; split or simplify it.")
                part = os.read(pipe.fileno(), min(count, 1 << 20))
                if not part:
                    raise self._death(filename)
                parts.append(part)
                count -= len(part)
        return b"".join(parts)

    def _death(self, filename: str) -> ExtractionFailed:
        """Say what ended the child: the CPU limit by SIGXCPU, the kernel's memory killer by SIGKILL, or a defect."""
        try:
            code = self._process.wait(_LAST_BREATH_SECONDS)
        except subprocess.TimeoutExpired:
            return ParserDied(f"{filename} made its parser fall silent; export it again or convert it.")
        if code == -signal.SIGXCPU:
            return TimeExceeded(f"{filename} took too much computing to read; split or simplify it.")
        if code == -signal.SIGKILL and _memory_kills() > self._memory_kills:
            return MemoryExceeded(f"{filename} took too much memory to read; split or simplify it.")
        return ParserDied(f"{filename} made its parser fail; export it again or convert it.", exit_code=code)


def _memory_kills() -> int:
    """Return how often this machine's kernel has killed for want of memory; always 0 where it does not tell."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def _clean_environment() -> dict[str, str]:
    """Return what an interpreter needs to start and find our modules; credentials stay behind."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(dict.fromkeys([root, *(entry for entry in sys.path if entry)]))
    return {
        **kept,
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        # Each further arena of the allocator would take 64 MB of the address space that is limited.
        "MALLOC_ARENA_MAX": "1",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }


def _error_of(answer: dict[str, object]) -> Exception:
    name, detail, members = str(answer["error"]), str(answer["detail"]), answer.get("members")
    leaf = getattr(errors, name, ParserDied)
    error: Exception = leaf(detail, **(members if isinstance(members, dict) else {}))
    return error


def _extract_of(fields: object) -> Extract:
    if not isinstance(fields, dict):
        raise ParserDied("The parser answered nonsense.")
    starts, warnings = fields.pop("page_starts"), fields.pop("warnings")
    return Extract(**fields, page_starts=tuple(starts), warnings=tuple(ExtractWarning(**each) for each in warnings))
