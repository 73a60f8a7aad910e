"""One synthesis of a whole stage for the suite, shared by its processes."""

import fcntl
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from infra.code import PACKAGE
from infra.configuration import DatabaseChoice, Deployment
from infra.stack import LorebaseStack

STAGE = Deployment(
    stage="test",
    alarm_address="ops@example.com",
    monthly_budget_usd=100,
    cors_origins=("https://wiki.example.com",),
    quotas={"items": 10_000},
    database=DatabaseChoice(most_units=8),
)


def synthesize(folder: Path, deployment: Deployment) -> Path:
    """Synthesize a stage on a stand-in for the shared zip, whose making has tests of its own; return the assembly."""
    package = folder / "package.zip"
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("app.py", "")
    app = cdk.App(outdir=str(folder / "cdk.out"), context={PACKAGE: str(package)})
    LorebaseStack(app, deployment.name, deployment=deployment)
    return Path(app.synth().directory)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def deployment() -> Deployment:
    return STAGE


@pytest.fixture(scope="session")
def assembly(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "stage"
    folder.mkdir(exist_ok=True)
    done = folder / "done"
    with _alone(folder / "lock"):
        if not done.exists():
            done.write_text(str(synthesize(folder, STAGE)), "utf-8")
    return Path(done.read_text("utf-8"))


@pytest.fixture(scope="session")
def resources(assembly: Path) -> Mapping[str, Mapping[str, Any]]:
    text = (assembly / f"{STAGE.name}.template.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, Any]] = json.loads(text)["Resources"]
    return found


@pytest.fixture(scope="session")
def template(assembly: Path) -> Template:
    return Template.from_json(json.loads((assembly / f"{STAGE.name}.template.json").read_text("utf-8")))
