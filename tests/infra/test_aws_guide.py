"""docs/aws.md says what infra/configuration.py and scripts/deploy do, and its example is one."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from infra.configuration import DatabaseChoice, Deployment, Domain, UnknownStage, read_deployment
from infra.costs.load import IDLE
from infra.costs.page import usd
from infra.costs.prices import Region
from infra.costs.stage import stage_bill

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "aws.md").read_text("utf-8")


def rows_below(heading: str) -> Iterator[list[str]]:
    section = GUIDE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    for row in re.findall(r"^\| (`.*) \|$", section, re.MULTILINE):
        yield row.split(" | ")


def shown(default: object) -> str:
    return "none" if default is None else f"`{json.dumps(default)}`"


def defaults_of(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        if name == "database":
            yield from defaults_of(DatabaseChoice, "database.")
            continue
        yield (
            f"`{prefix}{name}`",
            "needed" if field.is_required() else shown(field.get_default(call_default_factory=True)),
        )
        if name == "domain":
            yield from defaults_of(Domain, "domain.")


@pytest.fixture
def example(tmp_path: Path) -> Path:
    block = re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert block is not None
    path = tmp_path / "lorebase.toml"
    path.write_text(block[1], "utf-8")
    return path


def test_the_table_has_every_field_of_a_deployment_with_its_default() -> None:
    assert [(row[0], row[1]) for row in rows_below("lorebase.toml")] == list(defaults_of(Deployment))


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_the_example_is_a_file_that_deploys(example: Path, stage: str) -> None:
    deployment = read_deployment(example, {"stage": stage})
    assert deployment.name == f"lorebase-{stage}"
    assert deployment != Deployment(stage=stage)


def test_a_stage_that_the_example_lacks_is_refused(example: Path) -> None:
    with pytest.raises(UnknownStage, match="dev, prod"):
        read_deployment(example, {"stage": "test"})


def test_the_command_line_replaces_a_table_as_the_guide_says(example: Path) -> None:
    prod = read_deployment(example, {"stage": "prod", "database": {"most_units": 16}})
    assert prod.database == DatabaseChoice(most_units=16)


def test_the_modes_cost_what_the_model_says() -> None:
    said = {row[0].strip("`"): row[2] for row in rows_below("Network modes")}
    for network, cost in said.items():
        bill = stage_bill(IDLE, network=network, region=Region.US_EAST_1)
        assert cost.startswith(f"About {usd(round(bill.total)).removesuffix('.00')} $")
    assert len(said) == 3


def test_the_guide_names_the_version_of_cdk_that_the_script_runs() -> None:
    script = (ROOT / "scripts" / "deploy").read_text("utf-8")
    pinned = re.findall(r"cdk_version=(\S+)", script)
    assert pinned == sorted(set(re.findall(r"aws-cdk@([\d.]+)", GUIDE)))
