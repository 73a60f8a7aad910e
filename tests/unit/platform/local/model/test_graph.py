"""Graphs calculate what BERT does, and OpenVINO stays silent: no packet leaves while it is imported or used."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from chalicelib.platform.local.model.graph import Encoder, embedding_graph
from chalicelib.platform.local.model.openvino_runtime import GraphRequest, Precision, compile_graph
from chalicelib.platform.local.model.weights import PublishedWeights
from tests.fixtures.cross_encoders import HEADS, LAYERS, WIDTH, hidden_in_numpy, write_cross_encoder

_WATCHED = """
import sys
calls = []
def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.fork", "os.exec", "os.posix_spawn", "urllib.")):
        calls.append(event)
sys.addaudithook(watch)
from pathlib import Path
from chalicelib.platform.local.model.catalogue import recognise
from chalicelib.platform.local.model.engine import Engine
rows = Engine(Path(sys.argv[1]), recognise(Path(sys.argv[1]))[0]).embed(["a question"], "query").vectors
import threading
others = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
sys.exit(f"{calls} {others}" if calls or others or rows.shape != (1, 384) else 0)
"""

_ROOT = Path(__file__).parents[5]


@pytest.mark.model
@pytest.mark.parametrize("folder", ["model_folder", "packed_folder"])
def test_nothing_is_sent_from_import_to_inference(folder: str, request: pytest.FixtureRequest) -> None:
    if "openvino_telemetry" not in packages_distributions():
        pytest.skip("needs the telemetry that OpenVINO brings along")
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, str(request.getfixturevalue(folder))],
        cwd=_ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_openvino_is_imported_behind_the_guard_alone() -> None:
    folders = [_ROOT / "chalicelib", _ROOT / "functions", _ROOT / "tests"]
    importing = {
        path.relative_to(_ROOT).as_posix()
        for folder in folders
        for path in folder.rglob("*.py")
        if re.search(r"^\s*(?:import|from) openvino", path.read_text("utf-8"), re.MULTILINE)
    }
    assert importing == {"chalicelib/platform/local/model/openvino_runtime.py"}


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize(("precision", "least"), [("f32", 0.9999), ("i8", 0.99)])
def test_texts_are_pooled_as_the_model_was_trained(
    pooling: Literal["mean", "cls"], precision: Precision, least: float, tmp_path: Path
) -> None:
    weights = write_cross_encoder(tmp_path, "BertForSequenceClassification")
    published = PublishedWeights(tmp_path / "model.safetensors", prefix="bert.")
    encoder = Encoder(published, layers=LAYERS, heads=HEADS, whole_numbers=precision == "i8")
    request = GraphRequest(compile_graph(embedding_graph(encoder, width=WIDTH, pooling=pooling), precision=precision))
    ids, mask = np.array([[1, 4, 5, 6, 2], [1, 9, 2, 0, 0]]), np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    found = request.infer(published.words(ids), mask)
    for row, length in enumerate((5, 3)):
        hidden = hidden_in_numpy(tmp_path, weights, ids[row, :length].tolist(), [0] * length)
        expected = hidden[0] if pooling == "cls" else hidden.mean(axis=0)
        assert found[row] @ expected / np.linalg.norm(found[row]) / np.linalg.norm(expected) > least
