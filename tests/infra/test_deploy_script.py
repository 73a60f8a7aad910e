"""scripts/deploy, with stand-ins for python and cdk that write down how they were called."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "dirname", "touch", "mkdir", "cp", "echo")

PYTHON = """#!/bin/bash
echo "python $*" >> "$CALLS"
case "$1 $2" in
  "-c "*) exit {other_version} ;;
  "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
esac
"""
TOOL = '#!/bin/bash\necho "$(basename "$0") $*" >> "$CALLS"\n'


class Checkout:
    """A folder with the script, a lock to install, and a PATH of nothing but stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = folder / "calls"
        self.tools = folder / "tools"
        for part in ("scripts", "requirements", "tools"):
            (folder / part).mkdir()
        shutil.copy(ROOT / "scripts" / "deploy", folder / "scripts" / "deploy")
        (folder / "requirements" / "deploy.txt").write_text("")
        for name in (*TOOLS, "basename"):
            (self.tools / name).symlink_to(str(shutil.which(name)))
        self.add("python3.13", PYTHON.format(other_version=0))

    def add(self, name: str, text: str = TOOL) -> Path:
        path = self.tools / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        self.calls.write_text("")
        return subprocess.run(
            [self.folder / "scripts" / "deploy", *arguments],
            env={"PATH": str(self.tools), "CALLS": str(self.calls), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    @property
    def called(self) -> list[str]:
        return self.calls.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_options_alone_deploy(checkout: Checkout) -> None:
    checkout.add("cdk")
    assert checkout.run("--context", "stage=prod").returncode == 0
    assert checkout.called[-1] == "cdk deploy --context stage=prod"


def test_no_arguments_deploy(checkout: Checkout) -> None:
    checkout.add("cdk")
    assert checkout.run().returncode == 0
    assert checkout.called[-1] == "cdk deploy"


def test_a_command_is_handed_on(checkout: Checkout) -> None:
    checkout.add("cdk")
    checkout.run("destroy", "--context", "stage=two words")
    assert checkout.called[-1] == "cdk destroy --context stage=two words"


def test_without_cdk_the_pinned_one_is_run(checkout: Checkout) -> None:
    checkout.add("npx")
    checkout.run("diff")
    assert checkout.called[-1].startswith("npx --yes aws-cdk@2.")
    assert checkout.called[-1].endswith(" diff")


def test_without_node_it_says_what_is_missing(checkout: Checkout) -> None:
    done = checkout.run()
    assert (done.returncode, "Node.js" in done.stderr) == (1, True)
    assert not (checkout.folder / ".venv-deploy").exists()


def test_another_python_is_refused(checkout: Checkout) -> None:
    checkout.add("cdk")
    other = checkout.add("other-python", PYTHON.format(other_version=1))
    done = checkout.run(PYTHON=str(other))
    assert (done.returncode, "Python 3.13" in done.stderr) == (1, True)
    assert [call for call in checkout.called if call.startswith("cdk")] == []


def test_the_lock_is_installed_by_its_hashes_and_again_when_it_changed(checkout: Checkout) -> None:
    checkout.add("cdk")

    def installs() -> bool:
        assert checkout.run("list").returncode == 0
        return any("pip install" in call and "--require-hashes" in call for call in checkout.called)

    assert installs()
    assert not installs()
    stamp = checkout.folder / ".venv-deploy" / ".lorebase-installed"
    os.utime(checkout.folder / "requirements" / "deploy.txt", (stamp.stat().st_mtime + 10,) * 2)
    assert installs()
