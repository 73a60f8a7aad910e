"""The API in the template: its routes, what API Gateway answers by itself, its limits and its logs."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from app import app
from chalicelib.http.gateway import GATEWAY_PROBLEMS
from chalicelib.http.problems import headers_of, problem_of
from chalicelib.settings import load_settings
from infra.configuration import Deployment
from infra.firewall import Firewall
from infra.gateway_responses import PROBLEMS_BY_RESPONSE, gateway_responses
from infra.http_api import ANSWER_BYTES, REQUEST_BYTES

Resources = Mapping[str, Mapping[str, Any]]
ROOT = Path(__file__).resolve().parents[2]
LAMBDA_BYTES = 6 * 1024 * 1024
METHODS = {"get", "head", "post", "put", "patch", "delete", "options"}


@pytest.fixture(scope="module")
def api(resources: Resources) -> Mapping[str, Any]:
    found: Mapping[str, Any]
    (found,) = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::Serverless::Api"]
    return found


@pytest.fixture(scope="module")
def function(resources: Resources) -> Mapping[str, Any]:
    found: Mapping[str, Any]
    (found,) = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::Serverless::Function"]
    return found


def test_the_gateway_knows_every_route_and_method_of_the_app_and_no_other(api: Mapping[str, Any]) -> None:
    served = {
        (path, method)
        for path, operations in api["DefinitionBody"]["paths"].items()
        for method in operations.keys() & METHODS
    }
    assert served == {(path, method.lower()) for path, methods in app.routes.items() for method in methods}
    assert ("/v1/health", "get") in served


def test_every_method_leads_to_the_function_and_none_has_an_authorizer_of_its_own(api: Mapping[str, Any]) -> None:
    for operations in api["DefinitionBody"]["paths"].values():
        for operation in operations.values():
            integration = operation["x-amazon-apigateway-integration"]
            assert integration["type"] == "aws_proxy"
            assert "APIHandler" in json.dumps(integration["uri"])
            assert "security" not in operation
    assert "securityDefinitions" not in api["DefinitionBody"]


def test_bytes_are_handed_on_as_base64(api: Mapping[str, Any]) -> None:
    assert "application/octet-stream" in api["DefinitionBody"]["x-amazon-apigateway-binary-media-types"]
    assert "application/json" not in api["DefinitionBody"]["x-amazon-apigateway-binary-media-types"]


def test_what_the_gateway_answers_by_itself_is_what_the_api_would_answer(api: Mapping[str, Any]) -> None:
    responses = api["GatewayResponses"]
    assert {"DEFAULT_4XX", "DEFAULT_5XX"} <= responses.keys()
    for response in responses.values():
        leaf, detail = GATEWAY_PROBLEMS[response["StatusCode"]]
        document = json.loads(response["ResponseTemplates"]["application/json"])
        assert document == problem_of(leaf(detail), request_id="$context.requestId")
        headers = response["ResponseParameters"]["Headers"]
        assert headers["Content-Type"] == "'application/problem+json'"
        assert headers["X-Request-Id"] == "context.requestId"
        expected = headers_of(leaf(detail)).get("Retry-After")
        assert headers.get("Retry-After") == (expected and f"'{expected}'")


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ("MISSING_AUTHENTICATION_TOKEN", 404),
        ("THROTTLED", 429),
        ("REQUEST_TOO_LARGE", 413),
        ("INTEGRATION_FAILURE", 502),
        ("INTEGRATION_TIMEOUT", 504),
        ("WAF_FILTERED", 403),
    ],
)
def test_each_failure_has_the_status_that_says_what_it_is(response: str, status: int) -> None:
    assert PROBLEMS_BY_RESPONSE[response].status == status


@pytest.mark.parametrize(
    ("origins", "allowed"),
    [
        ((), None),
        (("https://a.example",), "'https://a.example'"),
        (("https://a.example", "https://b.example"), "'*'"),
        (("*",), "'*'"),
    ],
)
def test_pages_of_the_origins_may_read_what_the_gateway_answers(origins: tuple[str, ...], allowed: str | None) -> None:
    for response in gateway_responses(origins).values():
        parameters: Any = response
        assert parameters["ResponseParameters"]["Headers"].get("Access-Control-Allow-Origin") == allowed


def test_requests_and_answers_fit_through_lambda(function: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    variables = function["Environment"]["Variables"]
    for name in ("LOREBASE_REQUEST_BYTES", "LOREBASE_ANSWER_BYTES"):
        monkeypatch.setenv(name, variables[name])
    load_settings.cache_clear()
    settings = load_settings()
    load_settings.cache_clear()
    assert (settings.request_bytes, settings.answer_bytes) == (REQUEST_BYTES, ANSWER_BYTES)
    # The event has the bytes as base64, and beside them headers (10,240 bytes at API Gateway) and the context.
    assert REQUEST_BYTES * 4 / 3 + 64 * 1024 < LAMBDA_BYTES
    assert ANSWER_BYTES + 10_240 < LAMBDA_BYTES


def test_the_function_ends_when_the_gateway_stops_waiting(function: Mapping[str, Any]) -> None:
    assert function["Timeout"] == 29
    assert function["Runtime"] == "python3.13"
    assert function["Architectures"] == ["arm64"]
    assert function["Handler"] == "app.app"
    assert "ReservedConcurrentExecutions" not in function


def test_the_function_runs_on_the_code_of_the_workers(resources: Resources, function: Mapping[str, Any]) -> None:
    workers = [
        each["Properties"]["Code"]["S3Key"]
        for each in resources.values()
        if each["Type"] == "AWS::Lambda::Function" and "chalicelib" in str(each["Properties"].get("Handler"))
    ]
    assert len(workers) >= 4
    assert {*workers} == {function["CodeUri"]["Key"]}


def test_the_function_waits_for_its_rights(resources: Resources) -> None:
    (handler,) = [each for each in resources.values() if each["Type"] == "AWS::Serverless::Function"]
    role = handler["Properties"]["Role"]["Fn::GetAtt"][0]
    policies = {
        name
        for name, each in resources.items()
        if each["Type"] == "AWS::IAM::Policy" and {"Ref": role} in each["Properties"]["Roles"]
    }
    assert policies
    assert policies <= set(handler["DependsOn"])


def test_the_access_log_has_no_question_and_no_key(api: Mapping[str, Any]) -> None:
    fields = json.loads(api["AccessLogSetting"]["Format"])
    assert {"request_id", "route", "status", "milliseconds"} <= fields.keys()
    assert fields["route"] == "$context.resourcePath"
    told = " ".join(fields.values())
    assert not re.search(r"query|header|authoriz|body|context\.path|context\.identity\.user", told, re.IGNORECASE)
    (settings,) = api["MethodSettings"]
    assert (settings["LoggingLevel"], settings["DataTraceEnabled"]) == ("OFF", False)


def test_the_stage_takes_no_more_than_it_was_given(api: Mapping[str, Any], deployment: Deployment) -> None:
    (settings,) = api["MethodSettings"]
    assert settings["ThrottlingRateLimit"] == deployment.requests_per_second
    assert settings["ThrottlingBurstLimit"] == 2 * deployment.requests_per_second


def test_nothing_is_served_beside_the_stage(api: Mapping[str, Any]) -> None:
    # Without a version SAM adds a stage "Stage", which has no firewall, no throttling and no access log.
    assert api["StageName"] == "api"
    assert api["OpenApiVersion"] == api["DefinitionBody"]["swagger"] == "2.0"


def test_metrics_go_by_the_name_of_the_stage_and_none_is_paid_for_by_method(
    api: Mapping[str, Any], deployment: Deployment
) -> None:
    assert api["Name"] == api["DefinitionBody"]["info"]["title"] == f"{deployment.name}-api"
    assert [each["MetricsEnabled"] for each in api["MethodSettings"]] == [False]


def test_the_role_for_the_gateways_logs_stays_when_the_stage_goes(resources: Resources) -> None:
    (account,) = [each for each in resources.values() if each["Type"] == "AWS::ApiGateway::Account"]
    role = resources[account["Properties"]["CloudWatchRoleArn"]["Fn::GetAtt"][0]]
    assert (account["DeletionPolicy"], role["DeletionPolicy"]) == ("Retain", "Retain")


def test_chalice_leaves_nothing_in_the_project(resources: Resources) -> None:
    assert resources
    assert not (ROOT / "chalice.out").exists()
    assert not (ROOT / ".chalice").exists()


@pytest.fixture(scope="module")
def firewall() -> Template:
    stack = cdk.Stack(cdk.App(), "Stack")
    api = cdk.CfnResource(stack, "Api", type="AWS::Serverless::Api")
    api.override_logical_id("RestAPI")
    Firewall(stack, "Firewall", deployment=Deployment(requests_per_second=20), api=api)
    return Template.from_stack(stack)


def test_the_firewall_stands_before_the_stage_and_not_only_the_api(firewall: Template) -> None:
    (association,) = firewall.find_resources("AWS::WAFv2::WebACLAssociation").values()
    parts = association["Properties"]["ResourceArn"]["Fn::Join"][1]
    assert {"Ref": "RestAPI"} in parts
    # SAM turns this into the stage that it makes, which so comes first.
    assert {"Ref": "RestAPI.Stage"} in parts


def test_the_firewall_holds_back_floods_and_lets_documents_pass(firewall: Template) -> None:
    (acl,) = firewall.find_resources("AWS::WAFv2::WebACL").values()
    rate, common = acl["Properties"]["Rules"]
    assert rate["Action"] == {"Block": {}}
    assert rate["Statement"]["RateBasedStatement"]["Limit"] == 20 * 300 / 2
    overrides = common["Statement"]["ManagedRuleGroupStatement"]["RuleActionOverrides"]
    counted = {each["Name"] for each in overrides if each["ActionToUse"] == {"Count": {}}}
    assert {"SizeRestrictions_BODY", "CrossSiteScripting_BODY", "GenericLFI_BODY", "NoUserAgent_HEADER"} <= counted
    # Items at logs/a.log are asked for by ?path=.
    assert "RestrictedExtensions_QUERYARGUMENTS" in counted
