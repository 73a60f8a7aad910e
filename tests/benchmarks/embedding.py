"""What the local models cost by length and precision: `python -m tests.benchmarks.embedding`.

Processor time of the process is counted beside the clock, since it stays true on a busy machine.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from chalicelib.platform.local.model.catalogue import E5_Q4, FETCHED_BY_NAME, MINILM, LocalModel
from chalicelib.platform.local.model.engine import Engine
from chalicelib.platform.local.model.fetch import provide_model
from chalicelib.platform.local.model.openvino_runtime import Precision
from chalicelib.settings import Settings

_TEXTS_BY_NAME = {
    "question of 10 tokens": ["how do i get reimbursed for my travel costs"],
    "16 texts of 128 tokens": ["word " * 120] * 16,
    "4 texts of 508 tokens": ["word " * 500] * 4,
}
_KINDS: Sequence[tuple[LocalModel, Precision]] = ((MINILM, "f32"), (MINILM, "i8"), (E5_Q4, "f32"), (E5_Q4, "i8"))


def load(model: LocalModel, precision: Precision | None) -> Engine:
    """Load a model from the cache folder, fetched where it is not there."""
    folder = Settings().cache_folder.expanduser() / "models" / model.name
    return Engine(provide_model(model, folder), model, precision=precision)


def main() -> None:
    """Print the best of several runs of each kind, in milliseconds a text, and what a start takes."""
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print("| model | precision | texts | ms a text | processor ms a text |\n| --- | --- | --- | ---: | ---: |")
    for model, precision in _KINDS:
        engine = load(model, precision)
        for name, texts in _TEXTS_BY_NAME.items():
            clock = _best(engine, texts, time.perf_counter)
            spent = _best(engine, texts, time.process_time)
            print(f"| {model.name} | {precision} | {name} | {clock:.1f} | {spent:.1f} |", flush=True)
    print("\n| model | start, processor s | resident MiB |\n| --- | ---: | ---: |")
    for name in FETCHED_BY_NAME:
        code = f"from tests.benchmarks.embedding import start; start({name!r})"
        print(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout, end="")


def start(name: str) -> None:
    """Print what a process has spent once a model has answered its first question."""
    load(FETCHED_BY_NAME[name], None).embed(["how do i get reimbursed"], "query")
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"| {FETCHED_BY_NAME[name].name} | {used.ru_utime + used.ru_stime:.1f} | {used.ru_maxrss // 1024} |")


def _best(engine: Engine, texts: Sequence[str], timer: Callable[[], float]) -> float:
    runs = 20 if len(texts) == 1 else 3
    engine.embed(texts, "passage")
    best = float("inf")
    for _ in range(runs):
        started = timer()
        engine.embed(texts, "passage")
        best = min(best, timer() - started)
    return 1000 * best / len(texts)


if __name__ == "__main__":
    main()
