"""CloudFormation's own linter finds nothing in a stage's template."""

from pathlib import Path

from cfnlint.api import ManualArgs, lint

from infra.configuration import Deployment

IGNORED = {
    "W3005": "CDK lets a function wait for its role's grants, and lists the role with them; waiting twice does no harm",
}
"""Rules that do not hold here, each with the reason."""


def test_the_linter_finds_nothing(assembly: Path, deployment: Deployment) -> None:
    text = (assembly / f"{deployment.name}.template.json").read_text("utf-8")
    found = lint(text, config=ManualArgs(regions=["eu-central-1"], ignore_checks=list(IGNORED)))
    assert [f"{each.rule.id} {each.message} {each.path}" for each in found] == []


def test_nothing_is_ignored_that_does_not_occur(assembly: Path, deployment: Deployment) -> None:
    text = (assembly / f"{deployment.name}.template.json").read_text("utf-8")
    assert {each.rule.id for each in lint(text, config=ManualArgs(regions=["eu-central-1"]))} == IGNORED.keys()
