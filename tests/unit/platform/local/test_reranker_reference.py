"""Scores are those of transformers for the same files: run by scripts/check alone."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.local.reranker import LocalReranker
from tests.fixtures.cross_encoders import Kind, write_cross_encoder

pytestmark = [pytest.mark.reference, pytest.mark.timeout(600)]
ROOT = Path(__file__).resolve().parents[4]
QUESTION = "Who pays for the train ticket?"
PASSAGES = ("Travel by rail is paid.", "Bananas are yellow.", "ticket", "unheard words of travel by train " * 3)


@pytest.mark.parametrize("kind", ["BertForSequenceClassification", "XLMRobertaForSequenceClassification"])
def test_scores_are_those_of_transformers(kind: Kind, tmp_path: Path) -> None:
    python = Path(os.environ.get("LOREBASE_TEST_EMBED_PYTHON") or ROOT / ".venv-embed" / "bin" / "python")
    if not python.exists():
        pytest.skip("needs .venv-embed, which scripts/check makes")
    write_cross_encoder(tmp_path, kind)
    done = subprocess.run(
        [str(python), str(ROOT / "tests" / "fixtures" / "reference_cross_encoder.py"), str(tmp_path)],
        input=json.dumps([[QUESTION, passage] for passage in PASSAGES]),
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    expected = json.loads(done.stdout)
    assert np.ptp(expected) > 0.02
    assert LocalReranker(tmp_path).rank(QUESTION, PASSAGES, seconds=60).scores == pytest.approx(expected, abs=1e-3)
