"""OpenVINO stays silent: no packet leaves while it is imported, set up or used."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

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
rows = Engine(Path(sys.argv[1]), recognise(Path(sys.argv[1]))).embed(["a question"], "query").vectors
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
