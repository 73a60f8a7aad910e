"""What the sandbox adds to reading a Markdown file: `python -m tests.benchmarks.extraction [FOLDER]`."""

import contextlib
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from chalicelib.intake.errors import NoTextFound
from chalicelib.intake.extract.formats import extract
from chalicelib.intake.extract.model import Extract, ExtractLimits
from chalicelib.intake.sandbox import Sandbox
from chalicelib.intake.sniff import MediaType

_FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[3] / "shared/data/handbook"
_MARKDOWN = MediaType("text/markdown")
_LIMITS = ExtractLimits()


def main() -> None:
    """Read every Markdown file of the folder in this process, then through one warm child; print milliseconds."""
    paths = sorted(_FOLDER.rglob("*.md"))
    bare = _milliseconds(paths, lambda path: extract(path, _MARKDOWN, filename=path.name, limits=_LIMITS))
    with Sandbox(size=1) as sandbox:
        started = time.perf_counter()
        sandbox.extract(paths[0], _MARKDOWN, filename=paths[0].name, limits=_LIMITS)
        first = (time.perf_counter() - started) * 1000
        warm = _milliseconds(paths, lambda path: sandbox.extract(path, _MARKDOWN, filename=path.name, limits=_LIMITS))
    for name, values in (("in process", bare), ("in the sandbox", warm)):
        p95 = statistics.quantiles(values, n=20)[-1]
        sys.stdout.write(f"{name}: median {statistics.median(values):.2f} ms, p95 {p95:.2f} ms, of {len(values)}\n")
    sys.stdout.write(f"first file, with the start of the child: {first:.0f} ms\n")


def _milliseconds(paths: list[Path], read: Callable[[Path], Extract]) -> list[float]:
    durations = []
    for path in paths:
        started = time.perf_counter()
        # A page of front matter alone has no text to give.
        with contextlib.suppress(NoTextFound):
            read(path)
        durations.append((time.perf_counter() - started) * 1000)
    return durations


if __name__ == "__main__":
    main()
