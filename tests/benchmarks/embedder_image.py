"""What the embedder's image costs to start and to use, by engine.

`python -m tests.benchmarks.embedder_image FOLDER PYTHON`: FOLDER is one that functions.embed.build_model filled with
`--engine sentence-transformers`, PYTHON an interpreter of this version that has the packages of
functions/embed/requirements/build.txt.
"""

import os
import sys
import tempfile
from pathlib import Path

from infra.embedder import stage_context
from tests.fixtures.lambda_runtime import LambdaFunction

QUESTION = "Who pays for my train ticket?"
PASSAGES = ["Hotel costs are paid up to 120 euros a night; anything above needs approval in advance. " * 11] * 16
ROUNDS = 3


def measure(task_root: Path, folder: Path, python: str, engine: str) -> None:
    """Start one function, ask it, and print what it took."""
    environment = {
        "LOREBASE_PLATFORM": "aws",
        "LOREBASE_MODEL_FOLDER": str(folder),
        "LOREBASE_EMBED_ENGINE": engine,
        "HF_HUB_OFFLINE": "1",
    }
    with LambdaFunction(
        "functions.embed.handler.handle",
        task_root=task_root,
        python=python,
        site_packages=True,
        environment=environment,
        timeout=120,
        init_timeout=120,
    ) as function:
        first = function.invoke({"texts": [QUESTION], "purpose": "query"})
        if first.is_error or first.start is None:
            sys.exit(f"{engine}: {first.result}")
        questions = [function.invoke({"texts": [f"{QUESTION} {n}"], "purpose": "query"}).seconds for n in range(20)]
        function.invoke({"texts": PASSAGES})
        before = function.cpu_seconds
        tokens = function.invoke({"texts": PASSAGES}).result["tokens"]
        rate = tokens / (function.cpu_seconds - before)
        print(
            f"{engine}: ready after {first.start.cpu_seconds:.2f} s of CPU, {first.start.wall_seconds:.2f} s;",
            f"first answer after {first.start.wall_seconds + first.seconds:.2f} s; {function.peak_mib:.0f} MiB;",
            f"a question {min(questions) * 1000:.0f} ms; {rate:.0f} tokens/s of CPU;",
            f"load {os.getloadavg()[0]:.1f}",
        )


def main() -> None:
    """Measure both engines in turn."""
    with tempfile.TemporaryDirectory() as scratch:
        task_root = Path(stage_context(Path(scratch)))
        for _ in range(ROUNDS):
            for engine in ("openvino", "sentence-transformers"):
                measure(task_root, Path(sys.argv[1]), sys.argv[2], engine)


if __name__ == "__main__":
    main()
