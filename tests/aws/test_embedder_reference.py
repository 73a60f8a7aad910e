"""The image's build and both of its engines, with the real sentence-transformers: run by scripts/check alone."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chalicelib.platform.local.embedder import LocalEmbedder
from chalicelib.platform.local.model.windows import Purpose
from chalicelib.platform.ports import Vectors
from functions.embed.model_card import REFERENCE, read_card
from functions.embed.served_model import load_model
from infra.embedder import stage_context
from tests.fixtures.lambda_runtime import LambdaFunction

pytestmark = [pytest.mark.reference, pytest.mark.timeout(600)]
pytest.importorskip("awslambdaric", reason="needs Lambda's runtime client")

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
PURPOSES: tuple[Purpose, ...] = ("query", "passage")
TEXTS = ("Who pays for the train ticket?", "a", "ÄÖÜ — 漢字 and \x00", "leave of 28 days, " * 30, "")
WHOLE = TEXTS[:3]
"""Those that fit into one window, so that sentence-transformers cuts nothing off."""


@pytest.fixture(scope="module")
def python() -> Path:
    """The interpreter of the environment that is made from the image's own lock."""
    path = Path(os.environ.get("LOREBASE_TEST_EMBED_PYTHON") or ROOT / ".venv-embed" / "bin" / "python")
    if not path.exists():
        pytest.skip("needs .venv-embed, which scripts/check makes")
    return path


@pytest.fixture(scope="module")
def task_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(stage_context(tmp_path_factory.mktemp("image")))


@pytest.fixture(scope="module")
def tinies(python: Path, task_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random models of each kind of pooling and prompts, built; tests/fixtures/tiny_model.py says which."""
    folder = tmp_path_factory.mktemp("tinies")
    run(python, [str(FIXTURES / "tiny_model.py"), str(folder)], cwd=task_root, told=json.dumps(WHOLE))
    return folder


@pytest.fixture(params=["mean", "cls", "own-prompts"])
def tiny(request: pytest.FixtureRequest, tinies: Path) -> Path:
    return tinies / str(request.param)


@pytest.fixture(scope="module")
def minilm(model_folder: Path, python: Path, task_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default model, built from its real weights as in the image but for the download."""
    folder = tmp_path_factory.mktemp("minilm")
    source = folder / "source"
    shutil.copytree(FIXTURES / "minilm_layout", source)
    for name in ("model.safetensors", "tokenizer.json"):
        (source / name).symlink_to(model_folder / name)
    command = ["-m", "functions.embed.build_model", "--model", "all-MiniLM-L6-v2", "--engine", "sentence-transformers"]
    run(python, [*command, "--source", str(source), "--target", str(folder / "served")], cwd=task_root)
    return folder / "served"


def run(python: Path, arguments: Sequence[str], *, cwd: Path, told: str = "") -> str:
    done = subprocess.run(
        [str(python), *arguments],
        cwd=cwd,
        input=told,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(cwd)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def cosines(one: Vectors, other: Vectors) -> Vectors:
    return np.asarray((one * other).sum(axis=1), np.float32)


def in_function(folder: Path, python: Path, task_root: Path) -> LambdaFunction:
    environment = {
        "LOREBASE_PLATFORM": "aws",
        "LOREBASE_MODEL_FOLDER": str(folder),
        "LOREBASE_EMBED_ENGINE": "sentence-transformers",
        "HF_HUB_OFFLINE": "1",
    }
    return LambdaFunction(
        "functions.embed.handler.handle",
        task_root=task_root,
        python=python,
        site_packages=True,
        environment=environment,
        timeout=60,
        init_timeout=120,
    )


def rows_of(answer: Mapping[str, Any]) -> Vectors:
    return np.frombuffer(base64.b64decode(answer["vectors"]), "<f4").reshape(answer["shape"])


def test_a_built_model_says_what_it_is_and_how_near_it_came(tiny: Path) -> None:
    card = read_card(tiny / "served")
    assert (card.space, card.dimensions) == ("tiny/48", 48)
    assert {"torch", "sentence-transformers", "openvino", "here/tiny"} <= set(card.made_with)
    f32 = card.fidelity[0]
    assert f32.precision == "f32"
    assert f32.ndcg_lost == pytest.approx(0, abs=0.01)
    assert f32.least_cosine > 0.9999
    query, passage = card.frames["query"], card.frames["passage"]
    assert (len(query.before), query.after, query.padding) == (3, (3,), 0)
    assert query.before != passage.before
    assert query.window == 200 - 4


def test_openvino_gives_what_sentence_transformers_gives_with_its_prompts(tiny: Path) -> None:
    encoded = json.loads((tiny / "encoded.json").read_text("utf-8"))
    served = load_model(tiny / "served", engine="openvino", precision="f32")
    found = {purpose: served.embed(WHOLE, purpose).vectors for purpose in PURPOSES}
    for purpose in PURPOSES:
        assert cosines(found[purpose], np.array(encoded[purpose], np.float32)).min() > 0.9999
    assert cosines(found["query"], found["passage"]).min() < 0.999


def test_both_engines_of_a_function_agree_on_texts_of_any_length(tinies: Path, python: Path, task_root: Path) -> None:
    folder = tinies / "cls" / "served"
    with in_function(folder, python, task_root) as function:
        answer = function.invoke({"texts": list(TEXTS), "purpose": "passage"}).result
    served = load_model(folder, engine="openvino", precision="f32").embed(TEXTS, "passage")
    rows = rows_of(answer)
    assert (answer["space"], answer["tokens"]) == ("tiny/48", served.tokens)
    assert cosines(rows, served.vectors)[:4].min() > 0.9999
    assert not rows[4].any()


def test_the_exported_graph_is_the_one_that_laptops_build(minilm: Path, embedder: LocalEmbedder) -> None:
    texts = [*TEXTS[:4], "Hotel costs are paid up to 120 euros a night. " * 60]
    served = load_model(minilm, engine="openvino").embed(texts, "passage").vectors
    assert cosines(served, embedder.embed_passages(texts).vectors).min() > 0.999
    card = read_card(minilm)
    assert (card.fidelity[0].precision, card.fidelity[0].ndcg_lost) == ("f32", 0)
    assert (minilm / REFERENCE / "model.safetensors").is_file()


def test_the_function_serves_in_sentence_transformers_where_the_setting_says_so(
    minilm: Path, python: Path, task_root: Path, embedder: LocalEmbedder
) -> None:
    texts = ["Who pays for my train ticket?", "long " * 400]
    with in_function(minilm, python, task_root) as function:
        done = function.invoke({"texts": texts})
        assert done.start is not None
        assert cosines(rows_of(done.result), embedder.embed_passages(texts).vectors).min() > 0.999
