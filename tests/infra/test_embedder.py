"""The embedder's function: an image of a few staged files, in no network, whose role reads its variables and logs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk.assertions import Template

from infra.configuration import Deployment
from infra.embedder import DOCKERFILE, ROOT, Embedder, context_places, stage_context


class Stage:
    """A stack with the embedder alone and a role that calls it."""

    def __init__(self, folder: Path, deployment: Deployment) -> None:
        app = cdk.App(outdir=str(folder))
        stack = cdk.Stack(app, "stack")
        self.embedder = Embedder(stack, "Embedder", deployment=deployment, key=kms.Key(stack, "Key"))
        caller = iam.Role(stack, "Caller", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        self.embedder.grant_invoke(caller)
        self.template = Template.from_stack(stack)
        self.folder = folder

    def only(self, kind: str) -> Mapping[str, Any]:
        (found,) = self.template.find_resources(kind).values()
        properties: Mapping[str, Any] = found["Properties"]
        return properties

    def image(self) -> Mapping[str, Any]:
        assets = json.loads(next(self.folder.glob("*.assets.json")).read_text("utf-8"))["dockerImages"]
        (image,) = assets.values()
        source: Mapping[str, Any] = image["source"]
        return source


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    deployment = Deployment(stage="test", model="multilingual-e5-small")
    return Stage(tmp_path_factory.mktemp("embedder"), deployment)


def test_the_function_is_an_image_on_the_deployments_processor_and_in_no_network(stage: Stage) -> None:
    function = stage.only("AWS::Lambda::Function")
    assert function["PackageType"] == "Image"
    assert function["Architectures"] == ["arm64"]
    assert (function["MemorySize"], function["Timeout"]) == (3008, 60)
    assert "VpcConfig" not in function
    assert function["FunctionName"] == "lorebase-test-embedder"
    assert function["Environment"]["Variables"] == {
        "LOREBASE_EMBED_MODEL": "multilingual-e5-small",
        "LOREBASE_METRICS": "emf",
        "LOREBASE_STAGE": "test",
    }
    assert function["KmsKeyArn"]
    assert function["LoggingConfig"]["LogFormat"] == "JSON"


def test_its_log_is_encrypted_and_all_that_its_role_may_touch(stage: Stage) -> None:
    log = stage.only("AWS::Logs::LogGroup")
    assert (log["LogGroupName"], log["RetentionInDays"]) == ("/aws/lambda/lorebase-test-embedder", 30)
    assert log["KmsKeyId"]
    caller, variables, own = _statements(stage)
    assert variables["Action"] == "kms:Decrypt"
    (context,) = variables["Condition"]["StringEquals"].items()
    assert context[0] == "kms:EncryptionContext:aws:lambda:FunctionArn"
    assert context[1]["Fn::Join"][1][-1] == ":function:lorebase-test-embedder"
    assert own["Action"] == ["logs:CreateLogStream", "logs:PutLogEvents"]
    assert own["Resource"] == {"Fn::GetAtt": [next(iter(stage.template.find_resources("AWS::Logs::LogGroup"))), "Arn"]}
    function = next(iter(stage.template.find_resources("AWS::Lambda::Function")))
    assert caller["Action"] == "lambda:InvokeFunction"
    assert caller["Resource"] == {"Fn::GetAtt": [function, "Arn"]}


def test_the_image_is_built_for_the_model_and_the_processor_from_the_staged_files(stage: Stage) -> None:
    image = stage.image()
    assert image["dockerBuildArgs"] == {"MODEL": "multilingual-e5-small", "ENGINE": "openvino"}
    assert image["platform"] == "linux/arm64"
    assert image["dockerFile"] == DOCKERFILE
    staged = stage.folder / image["directory"]
    assert (staged / DOCKERFILE).read_text("utf-8") == (ROOT / DOCKERFILE).read_text("utf-8")
    assert {path.name for path in staged.iterdir()} <= {"chalicelib", "functions", ".dockerignore"}
    assert not list(staged.rglob("__pycache__"))
    assert sum(path.stat().st_size for path in staged.rglob("*") if path.is_file()) < 1_000_000


def test_an_intel_stage_gets_an_intel_image(tmp_path: Path) -> None:
    stage = Stage(tmp_path, Deployment(stage="test", architecture="x86_64"))
    assert stage.only("AWS::Lambda::Function")["Architectures"] == ["x86_64"]
    assert stage.image()["platform"] == "linux/amd64"


def test_a_stage_without_embedder_has_no_function_and_grants_nothing(tmp_path: Path) -> None:
    stage = Stage(tmp_path, Deployment(stage="test", embedder="none"))
    assert stage.embedder.function is None
    assert stage.template.find_resources("AWS::Lambda::Function") == {}
    assert stage.template.find_resources("AWS::IAM::Policy") == {}


def test_everything_that_is_staged_exists(tmp_path: Path) -> None:
    stage_context(tmp_path)
    assert all((tmp_path / place).exists() for place in context_places())


def _statements(stage: Stage) -> list[Mapping[str, Any]]:
    policies = stage.template.find_resources("AWS::IAM::Policy").values()
    statements = [each for policy in policies for each in policy["Properties"]["PolicyDocument"]["Statement"]]
    return sorted(statements, key=lambda statement: str(statement["Sid"]))
