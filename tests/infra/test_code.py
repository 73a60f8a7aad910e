"""The package holds what every handler needs and nothing that none does, and its bytes follow from its inputs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Literal

import pytest

from infra.packaging.archive import write_archive
from infra.packaging.bytecode import NoBytecode, compile_folder
from infra.packaging.package import build_package
from infra.packaging.pruning import RULES, prune
from infra.packaging.sources import ROOT, copy_sources, source_files
from infra.packaging.target import Target

HANDLERS = [
    "app.app",
    "chalicelib.triggers.functions.handle_originals",
    "chalicelib.triggers.functions.handle_jobs",
    "chalicelib.triggers.functions.handle_sweep",
    "chalicelib.triggers.functions.handle_migrations",
]
SLOW_TO_LOAD = ["numpy", "py3langid", "tokenizers", "lxml", "pypdf", "yaml", "charset_normalizer", "cryptography"]
SLOW_TO_LOAD += ["jwt"]
WORK = """
from chalicelib.index.language import detect_language
from chalicelib.index.tokens import load_tokenizer, units_of
from chalicelib.platform.aws.clients import Clients
import chalicelib.job_handlers, chalicelib.aws_database
import chalicelib.platform.aws.originals, chalicelib.platform.aws.embedder
from importlib.metadata import version
assert detect_language("Where do I find the form for travel costs and how is it sent?") == "en"
assert units_of("some words", load_tokenizer()).starts
clients = Clients(endpoint_url="http://127.0.0.1:1")
assert all((clients.s3, clients.sqs, clients.secrets, clients.functions))
assert clients.s3.generate_presigned_url("get_object", Params={"Bucket": "b", "Key": "k"})
assert version("lorebase") != "0"
assert version("psycopg")
"""


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    with zipfile.ZipFile(build_package(Target.of_host())) as archive:
        archive.extractall(folder)
    return folder


def run_in(folder: Path, code: str) -> str:
    """Run code that sees the folder and the standard library alone."""
    command = [sys.executable, "-I", "-S", "-B", "-W", "error", "-c"]
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
    }
    begun = f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"
    done = subprocess.run([*command, begun], check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("handler", HANDLERS)
def test_every_handler_is_had_from_the_package_alone(unpacked: Path, handler: str) -> None:
    module, _, name = handler.rpartition(".")
    assert run_in(unpacked, f"from {module} import {name}; print(callable({name}))") == "True\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_handlers_load_later_is_there_too(unpacked: Path) -> None:
    run_in(unpacked, WORK)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("suffix", [".md", ".html", ".txt"])
def test_documents_are_read_out_of_the_package(unpacked: Path, tmp_path: Path, suffix: str) -> None:
    document = tmp_path / f"document{suffix}"
    document.write_text("---\ntitle: Travel\n---\n<html><body><h1>Travel</h1><p>Keep receipts.</p></body></html>")
    code = (
        "from pathlib import Path\nfrom chalicelib.intake.extract.formats import extract\n"
        "from chalicelib.intake.extract.model import ExtractLimits\nfrom chalicelib.intake.sniff import sniff_file\n"
        f"path = Path({str(document)!r})\n"
        "found = extract(path, sniff_file(path, filename=path.name), filename=path.name, limits=ExtractLimits())\n"
        "print('Keep receipts.' in found.body)"
    )
    assert run_in(unpacked, code) == "True\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_bytecode_is_beside_every_module_and_is_not_compared_with_it(unpacked: Path) -> None:
    modules = [path for path in unpacked.rglob("*.py") if path.parent.name != "__pycache__"]
    tag = sys.implementation.cache_tag
    without = [path for path in modules if not (path.parent / "__pycache__" / f"{path.stem}.{tag}.pyc").exists()]
    assert len(modules) > 500
    assert without == []
    flags = (unpacked / "__pycache__" / f"app.{tag}.pyc").read_bytes()[4:8]
    # Hash-based and unchecked: peps.python.org/pep-0552.
    assert flags == (1).to_bytes(4, "little")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_laptop_stays_at_home(unpacked: Path) -> None:
    assert not (unpacked / "chalicelib" / "cli").exists()
    assert not (unpacked / "chalicelib" / "evaluation").exists()
    assert not (unpacked / "chalicelib" / "platform" / "local").exists()
    assert not (unpacked / "pip").exists()
    assert {path.name for path in (unpacked / "botocore" / "data").iterdir() if path.is_dir()} == {
        "lambda",
        "s3",
        "secretsmanager",
        "sqs",
    }


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_fits_into_lambda(unpacked: Path) -> None:
    # docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 250 MB unpacked.
    assert sum(path.stat().st_size for path in unpacked.rglob("*") if path.is_file()) < 140 * 1024 * 1024


def test_the_api_loads_nothing_that_few_requests_need() -> None:
    loaded = run_in_project(f"import app, sys; print([name for name in {SLOW_TO_LOAD} if name in sys.modules])")
    assert loaded == "[]\n"


def run_in_project(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def test_sources_are_ours_without_bytecode_and_without_the_terminal() -> None:
    files = source_files()
    assert Path("app.py") in files
    assert Path("chalicelib/items/items.sql") in files
    assert [file for file in files if file.suffix == ".pyc" or file.is_relative_to("chalicelib/cli")] == []


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        copy_sources(folder)
        assert compile_folder(folder, Target.of_host())
        write_archive(tmp_path / f"{name}.zip", folder)
        made.append((tmp_path / f"{name}.zip").read_bytes())
    assert made[0] == made[1]
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist() == sorted(archive.namelist())


def test_without_the_targets_python_there_are_sources_and_a_warning(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("x = 1\n")
    with pytest.warns(NoBytecode, match=r"Python 3\.99"):
        assert not compile_folder(tmp_path, Target((3, 99)))
    assert [path.name for path in tmp_path.iterdir()] == ["module.py"]


def test_each_rule_of_pruning_has_a_reason_and_nothing_else_goes(tmp_path: Path) -> None:
    (tmp_path / "botocore" / "data" / "s3").mkdir(parents=True)
    (tmp_path / "botocore" / "data" / "ec2").mkdir()
    (tmp_path / "psycopg-3.0.dist-info").mkdir()
    for name in ("METADATA", "RECORD"):
        (tmp_path / "psycopg-3.0.dist-info" / name).touch()
    (tmp_path / "kept").mkdir()
    for name in ("module.py", "module.pyi", "data.json"):
        (tmp_path / "kept" / name).touch()
    prune(tmp_path)
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if not path.is_dir())
    assert left == ["kept/data.json", "kept/module.py", "psycopg-3.0.dist-info/METADATA"]
    assert [path.name for path in (tmp_path / "botocore" / "data").iterdir()] == ["s3"]
    assert all(rule.reason and rule.patterns for rule in RULES)


@pytest.mark.parametrize(("architecture", "machine"), [("arm64", "aarch64"), ("x86_64", "x86_64")])
def test_wheels_are_those_of_lambdas_processor_and_library(
    architecture: Literal["arm64", "x86_64"], machine: str
) -> None:
    target = Target.of_lambda(architecture, python=(3, 13))
    assert target.version == "3.13"
    assert all(platform.endswith(f"_{machine}") for platform in target.platforms)
    assert [platform for platform in target.platforms if "2_35" in platform] == []
