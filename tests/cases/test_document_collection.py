"""The collection of real documents: every one of a taken type passes its own expectations, the rest answer 415."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chalicelib.intake.errors import ExtractionFailed, NoTextFound, PasswordRequired, UnsupportedType
from chalicelib.intake.extract.formats import require_taken
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.sandbox import Sandbox
from chalicelib.intake.sniff import sniff_file

LATER = {".pptx", ".xlsx", ".eml", ".rtf", ".odt", ".png", ".tif", ".jpg", ".flac", ".mp3", ".wav"}


def outcome(sandbox: Sandbox, path: Path, expected: str) -> dict[str, object]:
    try:
        media_type = sniff_file(path, path.name)
        require_taken(media_type, path.name)
        found = sandbox.extract(path, media_type, filename=path.name, limits=ExtractLimits())
    except PasswordRequired:
        return {"status": "needs_password"}
    except NoTextFound:
        return {"status": expected if expected == "needs_ocr" else "error"}
    except ExtractionFailed:
        return {"status": "error"}
    return {"status": "text", "text": found.body}


@pytest.mark.slow
def test_every_document_of_a_taken_type_passes(shared: Path, tmp_path: Path) -> None:
    results, refused = [], set()
    folder = shared / "data" / "documents"
    with Sandbox(size=1) as sandbox:
        for line in (folder / "manifest.jsonl").read_text().splitlines():
            entry = json.loads(line)
            started = time.monotonic()
            try:
                result = outcome(sandbox, folder / entry["path"], entry["expect"])
            except UnsupportedType:
                refused.add(entry["path"])
                continue
            results.append({"path": entry["path"], **result, "seconds": time.monotonic() - started})
    output = tmp_path / "results.jsonl"
    output.write_text("\n".join(map(json.dumps, results)))
    script = shared / "data" / "scripts" / "check_extraction.py"
    checked = subprocess.run([sys.executable, script, folder, output], capture_output=True, text=True, check=True)
    failed = [each for each in checked.stdout.splitlines() if each.startswith("FAIL") and "no result" not in each]
    assert not failed
    assert {Path(path).suffix for path in refused} == LATER
