"""What a cold start costs: `python -m tests.benchmarks.cold_start [ROUNDS]`.

Builds the package of Lambda for this interpreter and imports each handler from it alone, in fresh processes, with its
bytecode and without. CPU is that of the process, the least of the rounds: what is above it is the machine's, not ours.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from infra.packaging.package import build_package
from infra.packaging.target import Target

_ROUNDS = 7
_HANDLERS = {
    "API": "app",
    "workers, schedules, migrations": "chalicelib.triggers.functions",
    "what does jobs, on the first one": "chalicelib.triggers.functions, chalicelib.job_handlers",
    "S3, SQS, secrets, on the first request": "app, chalicelib.aws_database, chalicelib.platform.aws.originals",
    "numpy, on the first search or job": "app, numpy",
}
_MEASURED = "import time, sys; sys.path.insert(0, {folder!r}); import {modules}; print(time.process_time())"
_ENVIRONMENT = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-central-1"}


def main(rounds: int) -> None:
    """Build, measure, print."""
    package = build_package(Target.of_host())
    with tempfile.TemporaryDirectory() as folder:
        compiled, plain = Path(folder) / "compiled", Path(folder) / "plain"
        with zipfile.ZipFile(package) as archive:
            archive.extractall(compiled)
        shutil.copytree(compiled, plain, ignore=shutil.ignore_patterns("__pycache__"))
        print(f"Python {sys.version.split()[0]}; the package is {_mebibytes(package.stat().st_size)} packed,")
        print(
            f"{_mebibytes(_size(compiled))} unpacked, of which {_mebibytes(_size(compiled) - _size(plain))} bytecode\n"
        )
        print("| Import | CPU | without bytecode |\n| --- | --- | --- |")
        for name, modules in _HANDLERS.items():
            without = min(_cpu(plain, modules) for _ in range(max(1, rounds // 3)))
            print(f"| {name} | {min(_cpu(compiled, modules) for _ in range(rounds)):.0f} ms | {without:.0f} ms |")
        print("\n| Package | Of the API's import |\n| --- | --- |")
        for package_name, milliseconds in _shares(compiled, "app"):
            print(f"| {package_name} | {milliseconds:.0f} ms |")
        print("\n| Folder | Unpacked |\n| --- | --- |")
        for path, size in sorted(_sizes(compiled).items(), key=lambda entry: -entry[1])[:14]:
            print(f"| {path} | {_mebibytes(size)} |")


def _cpu(folder: Path, modules: str) -> float:
    code = _MEASURED.format(folder=str(folder), modules=modules)
    done = _python("-c", code)
    return float(done.stdout) * 1000


def _shares(folder: Path, modules: str) -> Sequence[tuple[str, float]]:
    """Return the milliseconds of each top-level package, its own modules alone; those below 3 ms are one line."""
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import {modules}"
    own: Counter[str] = Counter()
    for line in _python("-X", "importtime", "-c", code).stderr.splitlines():
        fields = line.removeprefix("import time:").split("|")
        if len(fields) == 3 and fields[0].strip().isdigit():
            own[_package_of(fields[2].strip(), folder)] += int(fields[0])
    shares = [(name, microseconds / 1000) for name, microseconds in own.most_common()]
    rest = sum(milliseconds for _, milliseconds in shares if milliseconds < 3)
    return [*((name, milliseconds) for name, milliseconds in shares if milliseconds >= 3), ("others", rest)]


def _package_of(module: str, folder: Path) -> str:
    top = module.split(".", maxsplit=1)[0]
    known = (folder / top).is_dir() or any(folder.glob(f"{top}.*"))
    return top if known else "standard library"


def _python(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-I", "-S", "-B", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=_ENVIRONMENT)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _sizes(folder: Path) -> dict[str, int]:
    return {entry.name: _size(entry) if entry.is_dir() else entry.stat().st_size for entry in folder.iterdir()}


def _mebibytes(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MiB"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS)
