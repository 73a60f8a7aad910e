"""The rules of AWS's packs and of the CDK: what they find is explained where it is made, and no more than that."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aws_cdk as cdk
import pytest
from cdk_nag import AwsSolutionsChecks, ServerlessChecks

from infra import suppressions
from infra.code import PACKAGE
from infra.configuration import DatabaseChoice, Deployment, Domain
from infra.stack import LorebaseStack

# What each checker's findings are called where they are explained: the CDK's own validation has a prefix.
PREFIXES = {"AwsSolutions": "", "Serverless": "", "CloudFormation Validate": "CloudFormation-Validate::"}
LEAST_REASON = 30
OTHERS = (
    Deployment(
        stage="nat",
        network="nat",
        database=DatabaseChoice(least_units=0.5, proxy=True),
        firewall=True,
        embedder="none",
        language_model="openai:gpt-4.1-mini",
        keep_data=False,
    ),
    Deployment(
        stage="six",
        network="ipv6",
        originals_bucket="some-bucket",
        embedders=("bedrock:amazon.titan-embed-text-v2:0@1024", "bedrock:eu.cohere.embed-v4:0@1024"),
        reranker="bedrock:cohere.rerank-v3-5:0",
        domain=Domain(
            name="a.example.com",
            hosted_zone_id="Z0",
            hosted_zone_name="example.com",
            certificate_arn="arn:aws:acm:eu-central-1:123456789012:certificate/0",
        ),
    ),
)
"""What the suite's stage has not: other networks, proxy, firewall, domain, imported bucket, models, no data kept."""


@dataclass
class Checked:
    """What the rules find where nothing is explained, and what is explained: (path of the construct, id, reason)."""

    findings: set[tuple[str, str]] = field(default_factory=set)
    explained: set[tuple[str, str, str]] = field(default_factory=set)

    def of(self, construct: Any) -> SimpleNamespace:
        """Stand in for Validations: notes what would be acknowledged."""

        def acknowledge(*given: cdk.Acknowledgment) -> None:
            self.explained.update((construct.node.path, each.id, each.reason) for each in given)

        return SimpleNamespace(acknowledge=acknowledge)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory, deployment: Deployment) -> Checked:
    folder = tmp_path_factory.mktemp("nag")
    (folder / "package.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    stages = [deployment, *OTHERS]
    app = cdk.App(outdir=str(folder / "cdk.out"), context={PACKAGE: str(folder / "package.zip")})
    found = Checked()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppressions, "Validations", found)
        for stage in stages:
            LorebaseStack(app, stage.name, deployment=stage)
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
    found.findings = _read(folder / "cdk.out" / "validation-report.json")
    return found


def _read(report: Path) -> set[tuple[str, str]]:
    plugins = json.loads(report.read_text("utf-8"))["pluginReports"]
    assert {plugin["pluginName"] for plugin in plugins} >= PREFIXES.keys()
    return {
        (construct["constructPath"], PREFIXES[plugin["pluginName"]] + violation["ruleName"])
        for plugin in plugins
        if plugin["pluginName"] in PREFIXES
        for violation in plugin["violations"]
        for construct in violation["violatingConstructs"]
    }


def _is_about(explained: str, found: str) -> bool:
    return f"{found}/".startswith(f"{explained}/")


def test_nothing_is_found_that_is_not_explained(checked: Checked) -> None:
    assert checked.findings
    unexplained = {
        (path, rule)
        for path, rule in checked.findings
        if not any(rule == known and _is_about(about, path) for about, known, _ in checked.explained)
    }
    assert unexplained == set()


def test_no_explanation_outlives_what_it_explains(checked: Checked) -> None:
    unused = {
        (about, rule)
        for about, rule, _ in checked.explained
        if not any(rule == found and _is_about(about, path) for path, found in checked.findings)
    }
    assert unused == set()


def test_every_explanation_is_a_sentence_and_about_one_construct(checked: Checked) -> None:
    assert [reason for _, _, reason in checked.explained if len(reason) < LEAST_REASON or reason[-1] != "."] == []
    assert [about for about, _, _ in checked.explained if "/" not in about] == []
