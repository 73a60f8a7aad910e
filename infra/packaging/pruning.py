"""What of the dependencies is of no use on Lambda, each with its reason."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Rule:
    """Paths, as glob patterns below the folder of dependencies, that go for one reason."""

    reason: str
    patterns: Sequence[str]


# The services whose clients platform/aws makes; boto3 itself asks for no other.
_SERVICES = frozenset({"lambda", "s3", "secretsmanager", "sqs"})
_UNUSED_UTILITIES = (
    *("auth_alpha", "circuit_breaker", "data_masking", "feature_flags", "idempotency", "kafka", "metadata"),
    *("parameters", "streaming", "validation"),
)

RULES: Sequence[Rule] = (
    Rule(
        "Chalice's command line: deploying, prompting, colours",
        (
            *("chalice/[!_]*/", "blessed/", "editor/", "inquirer/", "jinxed/", "readchar/", "runs/", "xmod/"),
            *("click/", "pip/", "setuptools/", "_distutils_hack/", "distutils-precedence.pth", "wheel/", "wcwidth/"),
            *(f"chalice/{name}.py" for name in ("analyzer", "awsclient", "config", "invoke", "logs")),
            *(f"chalice/{name}.py" for name in ("package", "pipeline", "policy", "test", "utils")),
            *("chalice/*.json", "bin/", "packaging/"),
        ),
    ),
    Rule(
        "tokenizers downloads by it, and ours comes with the package",
        (
            *("huggingface_hub/", "hf_xet/", "fsspec/", "filelock/", "tqdm/", "httpx2/", "httpcore2/", "h11/"),
            *("anyio/", "truststore/", "idna/", "tokenizers/tools/"),
        ),
    ),
    Rule("It parses C for cffi, which is built already", ("pycparser/", "cffi/")),
    Rule("Types for checkers and headers for compilers", ("**/*.pyi", "**/py.typed", "**/*.pxd", "**/*.pyx")),
    Rule("Sources and headers of what is compiled", ("**/*.pxi", "**/*.h", "**/*.c", "lxml/includes/", "**/*.a")),
    Rule("Tests of others", ("**/tests/", "**/conftest.py", "numpy/testing/_private/extbuild.py")),
    Rule(
        "Numpy's compiler of Fortran, its documentation of types, and packaging hooks",
        ("numpy/f2py/", "numpy/_pyinstaller/", "numpy/_core/lib/", "numpy/_core/include/"),
    ),
    Rule(
        "Parts of numpy that it loads when they are asked for, and nobody here asks",
        tuple(f"numpy/{name}/" for name in ("ctypeslib", "fft", "ma", "polynomial", "random", "testing")),
    ),
    Rule("The bindings of PyYAML to libyaml, whose loader is not the safe one in Python", ("yaml/_yaml.*", "_yaml/")),
    Rule("Resources of boto3, where we use clients alone", ("boto3/data/", "boto3/examples/")),
    Rule(
        "Parts of lxml beside the parser and its HTML",
        ("lxml/objectify.*", "lxml/sax.*", "lxml/isoschematron/", "lxml/doctestcompare.py", "lxml/html/diff.py"),
    ),
    Rule(
        "Parts of Powertools beside its batches",
        (
            "aws_lambda_powertools/event_handler/",
            *(f"aws_lambda_powertools/utilities/{name}/" for name in _UNUSED_UTILITIES),
        ),
    ),
)
_KEPT_METADATA = ("psycopg", "psycopg_pool", "psycopg_binary")
"""Who asks importlib.metadata for the version of its own; nobody reads the metadata of the others."""


def prune(folder: Path) -> None:
    """Remove what no handler needs from a folder of installed packages."""
    for rule in RULES:
        for pattern in rule.patterns:
            _remove(list(folder.glob(pattern)))
    _remove(list(_other_services(folder / "botocore" / "data")))
    _remove(list(_metadata(folder)))


def _other_services(data: Path) -> Iterator[Path]:
    yield from (entry for entry in data.iterdir() if entry.is_dir() and entry.name not in _SERVICES)


def _metadata(folder: Path) -> Iterator[Path]:
    for info in folder.glob("*.dist-info"):
        if info.name.split("-", maxsplit=1)[0] not in _KEPT_METADATA:
            yield info
        else:
            yield from (entry for entry in info.iterdir() if entry.name != "METADATA")


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
