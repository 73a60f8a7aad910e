"""Who asks models of providers may ask those that are chosen, and a stage without any is as it was."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_iam as iam
from pydantic import ValidationError

from chalicelib.settings import Settings
from infra.configuration import Deployment
from infra.encryption import Encryption
from infra.environment import environment_of
from infra.model_access import ASKERS, MODEL_PERMISSIONS, grant_models, model_settings
from infra.network import Network
from tests.fixtures.foundations import Resource, of_type, statements
from tests.fixtures.stage_templates import Resources, flat, functions_by_name, listed, permits_of, role_of

BEDROCK = {
    "embedders": ("bedrock:amazon.titan-embed-text-v2:0@1024", "bedrock:eu.cohere.embed-v4:0@1536"),
    "language_model": "bedrock:global.amazon.nova-2-lite-v1:0",
    "reranker": "bedrock:cohere.rerank-v3-5:0",
}
OTHERS = {
    "network": "nat",
    "embedders": ("openai:text-embedding-3-small@512",),
    "reranker": "jina:jina-reranker-v2-base-multilingual",
    "model_endpoints": {"jina": "https://api.jina.ai/v1"},
}
HERE = "arn:<AWS::Partition>:bedrock:<AWS::Region>"


@cache
def template(kind: str) -> Mapping[str, Resource]:
    """Synthesize a network and a role of a function that asks."""
    deployment = Deployment.model_validate({"none": {}, "bedrock": BEDROCK, "others": OTHERS}[kind])
    app = cdk.App()
    stack = cdk.Stack(app, "Stage")
    key = Encryption(stack, "Encryption", deployment=deployment).key
    Network(stack, "Network", deployment=deployment, key=key)
    role = iam.Role(stack, "Asker", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    grant_models(stack, deployment, role)
    found: Mapping[str, Resource] = app.synth().get_stack_by_name("Stage").template["Resources"]
    return found


def permits(kind: str) -> set[tuple[str, str]]:
    return {
        (action, flat(resource))
        for statement in statements(template(kind), "Asker")
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    }


def endpoints(kind: str) -> dict[str, Any]:
    """Return the policies of interface endpoints by the end of their service's name."""
    found = of_type(template(kind), "AWS::EC2::VPCEndpoint")
    return {
        flat(each["ServiceName"]).rpartition(".")[2]: each["PolicyDocument"]["Statement"][0]
        for each in found
        if each["VpcEndpointType"] == "Interface"
    }


def test_models_of_bedrock_are_asked_by_name() -> None:
    invoked = {resource for action, resource in permits("bedrock") if action == "bedrock:InvokeModel"}
    assert invoked == {
        f"{HERE}::foundation-model/amazon.titan-embed-text-v2:0",
        f"{HERE}:<AWS::AccountId>:inference-profile/eu.cohere.embed-v4:0",
        "arn:<AWS::Partition>:bedrock:*::foundation-model/cohere.embed-v4:0",
        f"{HERE}:<AWS::AccountId>:inference-profile/global.amazon.nova-2-lite-v1:0",
        "arn:<AWS::Partition>:bedrock:*::foundation-model/amazon.nova-2-lite-v1:0",
        "arn:<AWS::Partition>:bedrock:::foundation-model/amazon.nova-2-lite-v1:0",
        f"{HERE}::foundation-model/cohere.rerank-v3-5:0",
    }
    others = {permit for permit in permits("bedrock") if permit[0] != "bedrock:InvokeModel"}
    assert others == {("bedrock:Rerank", "*")}


def test_other_providers_are_shown_their_own_key_and_no_other() -> None:
    secrets = "arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:lorebase/dev"
    assert permits("others") == {
        ("secretsmanager:GetSecretValue", f"{secrets}/model-key-{name}-??????") for name in ("openai", "jina")
    }


def test_without_models_nothing_is_granted_and_nothing_added() -> None:
    assert permits("none") == set()
    assert {*endpoints("none")} == {"sqs", "secretsmanager", "lambda"}


def test_bedrock_is_reached_from_a_network_without_a_way_out() -> None:
    added = {name: policy for name, policy in endpoints("bedrock").items() if name.startswith("bedrock")}
    assert {*added} == {"bedrock-runtime", "bedrock-agent-runtime"}
    for policy in added.values():
        assert {*policy["Condition"]["StringEquals"]} == {"aws:PrincipalAccount"}


def test_the_page_names_all_that_may_be_granted() -> None:
    told = {action for permission in MODEL_PERMISSIONS for action in permission.actions}
    assert {action for kind in ("bedrock", "others") for action, _ in permits(kind)} == told


@pytest.mark.parametrize("function", ASKERS)
def test_a_stage_without_models_says_so_to_those_who_would_ask(resources: Resources, function: str) -> None:
    found = functions_by_name(resources)[f"lorebase-test-{function}"]
    variables = found["Environment"]["Variables"]
    assert (variables["LOREBASE_EMBEDDERS"], variables["LOREBASE_LANGUAGE_MODEL"]) == ("[]", "none")
    assert not [permit for permit in permits_of(resources, role_of(found)) if permit.action.startswith("bedrock")]


@pytest.mark.parametrize("chosen", [BEDROCK, OTHERS])
def test_what_is_chosen_arrives_in_the_settings(chosen: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    prices = {"model_prices": {"bedrock/amazon.nova": {"input": 0.06}}, "currency": "EUR"}
    deployment = Deployment.model_validate({**chosen, **prices})
    for name, value in environment_of(**model_settings(deployment)).items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.embedders == list(deployment.embedders)
    assert (settings.language_model, settings.reranker) == (deployment.language_model, deployment.reranker)
    assert settings.model_prices == {"bedrock/amazon.nova": {"input": Decimal("0.06")}}
    assert settings.currency == "EUR"
    assert settings.model_endpoints == ("jina=https://api.jina.ai/v1" if chosen is OTHERS else "")


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({**OTHERS, "network": "endpoints"}, "the network endpoints does not reach jina, openai"),
        ({**OTHERS, "model_endpoints": {}}, "there are no model_endpoints for jina"),
        ({"embedders": ("titan",)}, "embedders"),
        ({"reranker": "cohere"}, "reranker"),
        ({**OTHERS, "model_endpoints": {"jina": "http://10.0.0.1"}}, "model_endpoints"),
    ],
)
def test_what_cannot_be_reached_is_refused(chosen: Mapping[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Deployment.model_validate(chosen)
