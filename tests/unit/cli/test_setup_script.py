"""`scripts/serve` before the command exists."""

import shutil
import subprocess
from pathlib import Path

_SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "serve"


def test_setting_up_is_said_before_it_begins(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "serve"
    script.parent.mkdir()
    shutil.copy(_SCRIPT, script)
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\n[ "$1" = -c ] || { echo "asked: $*" >&2; exit 7; }\n')
    python.chmod(0o755)

    done = subprocess.run(
        [script], env={"PATH": "/usr/bin:/bin", "PYTHON": str(python)}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (7, "")
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == ["Setting", "asked:"]
