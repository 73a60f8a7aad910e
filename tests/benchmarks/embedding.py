"""What the local embedder costs by length, precision and window: `python -m tests.benchmarks.embedding`.

Processor time of one thread is counted beside the clock, since it stays true on a busy machine.
"""

import os
import time
from collections.abc import Callable, Sequence

from chalicelib.platform.local.model.engine import Engine
from chalicelib.platform.local.model.fetch import provide_model
from chalicelib.platform.local.model.openvino_runtime import Precision
from chalicelib.settings import Settings

_TEXTS_BY_NAME = {
    "question of 10 tokens": ["how do i get reimbursed for my travel costs"],
    "16 texts of 128 tokens": ["word " * 126] * 16,
    "4 texts of 508 tokens": ["word " * 508] * 4,
}
_PRECISIONS: tuple[Precision, ...] = ("f32", "bf16")


def main() -> None:
    """Print the best of several runs of each kind, in milliseconds a text."""
    settings = Settings()
    folder = (settings.model_folder or settings.cache_folder / "models" / "all-MiniLM-L6-v2").expanduser()
    provide_model(folder)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print("| texts | precision | window | ms a text | processor ms a text |\n| --- | --- | ---: | ---: | ---: |")
    for precision in _PRECISIONS:
        for window in (254, 510):
            engine = Engine(folder, precision=precision, window=window)
            for name, texts in _TEXTS_BY_NAME.items():
                clock = _best(engine, texts, time.perf_counter)
                spent = _best(engine, texts, time.process_time)
                print(f"| {name} | {precision} | {window + 2} | {clock:.1f} | {spent:.1f} |", flush=True)


def _best(engine: Engine, texts: Sequence[str], timer: Callable[[], float]) -> float:
    runs = 20 if len(texts) == 1 else 3
    engine.embed(texts)
    best = float("inf")
    for _ in range(runs):
        started = timer()
        engine.embed(texts)
        best = min(best, timer() - started)
    return 1000 * best / len(texts)


if __name__ == "__main__":
    main()
