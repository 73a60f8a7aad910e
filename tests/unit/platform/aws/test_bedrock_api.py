"""Requests to Bedrock are those that boto3's clients send, signed as theirs, and its refusals are told apart."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import boto3
import botocore.auth
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import CredentialRetrievalError

from chalicelib.platform.aws.bedrock_api import BedrockApi, path_of
from chalicelib.platform.aws.bedrock_language_model import BedrockLanguageModel
from chalicelib.platform.aws.bedrock_reranker import BedrockReranker
from chalicelib.platform.provider_calls import CallFailed, Outcome
from tests.fixtures.model_answers import Reply, bedrock_error
from tests.fixtures.model_server import Asked, ModelServer
from tests.fixtures.remote_models import REGION, bedrock_of

TITAN = "amazon.titan-embed-text-v2:0"
PROFILE = "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0"
SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        botocore.auth,
        "get_current_datetime",
        lambda *, remove_tzinfo=True: NOON.replace(tzinfo=None) if remove_tzinfo else NOON,
    )


def client_of(service: str, models: ModelServer) -> Any:
    session: Any = boto3.Session("AKIDEXAMPLE", "secret", "session", region_name=REGION)
    return session.client(service, endpoint_url=models.url, config=Config(retries={"total_max_attempts": 1}))


def is_signed(asked: Asked, models: ModelServer) -> bool:
    """Sign what arrived anew, by the headers that it says are signed; the tests' own clients of boto3 pass as well."""
    given = asked.headers["authorization"]
    names = given.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    headers = {
        name: asked.headers[name] for name in names if name not in ("host", "x-amz-date", "x-amz-security-token")
    }
    request = AWSRequest("POST", models.url + asked.path, data=asked.raw, headers=headers)
    SigV4Auth(Credentials("AKIDEXAMPLE", "secret", "session"), "bedrock", REGION).add_auth(request)
    return str(request.headers["Authorization"]) == given


@pytest.mark.usefixtures("at_noon")
@pytest.mark.parametrize("model", [TITAN, f"arn:aws:bedrock:eu-central-1::foundation-model/{TITAN}"])
def test_a_model_is_invoked_as_boto3_does(models: ModelServer, model: str) -> None:
    models.change = lambda _: Reply({})
    bedrock_of(models).post("bedrock-runtime", path_of(model, "invoke"), {"inputText": "ä"}, seconds=5)
    client_of("bedrock-runtime", models).invoke_model(modelId=model, body=models.asked[0].raw)
    ours, theirs = models.asked
    assert (ours.path, ours.raw) == (theirs.path, theirs.raw)
    assert ours.headers["content-type"] == "application/json"
    assert [is_signed(asked, models) for asked in (ours, theirs)] == [True, True]


@pytest.mark.usefixtures("at_noon")
def test_a_signature_is_of_what_is_sent(models: ModelServer) -> None:
    bedrock_of(models).post(
        "bedrock-runtime", path_of(TITAN, "invoke"), {"inputText": "x", "dimensions": 256}, seconds=5
    )
    (ours,) = models.asked
    assert not is_signed(Asked(ours.path, ours.headers, ours.raw + b" ", 0), models)


def test_a_conversation_is_the_one_that_boto3_knows(models: ModelServer) -> None:
    """boto3 checks what it sends, and reads what the tests' server answers, by the service's own model."""
    model = BedrockLanguageModel(bedrock_of(models), PROFILE, name="bedrock/nova")
    model.complete(instructions="Do.", prompt="Text.", schema=SCHEMA, output_tokens=9, seconds=5)
    answer = client_of("bedrock-runtime", models).converse(modelId=PROFILE, **models.asked[0].body)
    ours, theirs = models.asked
    assert (ours.path, ours.body) == (theirs.path, theirs.body)
    assert answer["stopReason"] == "tool_use"
    assert answer["output"]["message"]["content"][1]["toolUse"]["input"] == {}
    assert answer["usage"] == {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}


def test_a_reranking_is_the_one_that_boto3_knows(models: ModelServer) -> None:
    BedrockReranker(bedrock_of(models), "amazon.rerank-v1:0", name="bedrock/rerank").rank("tax", ["tax"], seconds=5)
    answer = client_of("bedrock-agent-runtime", models).rerank(**models.asked[0].body)
    ours, theirs = models.asked
    assert (ours.path, ours.body) == (theirs.path, theirs.body)
    assert answer["results"] == [{"index": 0, "relevanceScore": 1.0}]
    chosen = ours.body["rerankingConfiguration"]["bedrockRerankingConfiguration"]["modelConfiguration"]
    assert chosen["modelArn"] == "arn:aws:bedrock:eu-central-1::foundation-model/amazon.rerank-v1:0"


@pytest.mark.parametrize(
    ("status", "name", "message", "outcome"),
    [
        (
            400,
            "ValidationException",
            "400 Bad Request: Too many input tokens. Max input tokens: 8192",
            Outcome.TOO_LARGE,
        ),
        (400, "ValidationException", "#/texts/0: expected maxLength: 2048, actual: 2459", Outcome.TOO_LARGE),
        (400, "ValidationException", "Input is too long for requested model.", Outcome.TOO_LARGE),
        (400, "ValidationException", "The provided model identifier is invalid.", Outcome.DENIED),
        (400, "ValidationException", "Invocation with on-demand throughput isn’t supported.", Outcome.DENIED),  # noqa: RUF001
        (400, "ValidationException", "Something else.", Outcome.REFUSED),
        (403, "AccessDeniedException", "You don't have access to the model.", Outcome.DENIED),
        (404, "ResourceNotFoundException", "No such model.", Outcome.DENIED),
        (400, "ServiceQuotaExceededException", "Too many of them.", Outcome.DENIED),
        (429, "ThrottlingException", "Too many requests, please wait.", Outcome.BUSY),
        (429, "ModelNotReadyException", "The model is not ready.", Outcome.BUSY),
        (503, "ServiceUnavailableException", "Away.", Outcome.BUSY),
        (408, "ModelTimeoutException", "It took too long.", Outcome.BROKEN),
        (424, "ModelErrorException", "The model failed.", Outcome.BROKEN),
        (500, "InternalServerException", "Something.", Outcome.BROKEN),
    ],
)
def test_a_refusal_is_what_helps_against_it(
    models: ModelServer, status: int, name: str, message: str, outcome: Outcome
) -> None:
    models.change = lambda _: bedrock_error(status, name, message)
    with pytest.raises(CallFailed) as caught:
        bedrock_of(models).post("bedrock-runtime", path_of(TITAN, "invoke"), {"inputText": "x"}, seconds=5)
    assert (caught.value.outcome, caught.value.detail) == (outcome, f"answered {status} ({name})")


@pytest.mark.parametrize("choices", [{"tool", "any", "auto"}, {"any", "auto"}, {"auto"}])
def test_a_model_is_made_to_answer_by_the_means_that_it_takes(models: ModelServer, choices: set[str]) -> None:
    models.served.tool_choices = choices
    model = BedrockLanguageModel(bedrock_of(models), PROFILE, name="bedrock/nova")
    for _ in range(2):
        model.complete(instructions="Do.", prompt="Text.", schema=SCHEMA, output_tokens=9, seconds=5)
    assert len(models.asked) == 5 - len(choices)


def no_credentials() -> None:
    return None


def lost_credentials() -> Credentials:
    raise CredentialRetrievalError(provider="sso", error_msg="gone")


@pytest.mark.parametrize(
    ("credentials", "outcome"), [(no_credentials, Outcome.DENIED), (lost_credentials, Outcome.BROKEN)]
)
def test_without_credentials_nothing_is_sent(models: ModelServer, credentials: Any, outcome: Outcome) -> None:
    with pytest.raises(CallFailed) as caught:
        BedrockApi(credentials, region=REGION, url=models.url).post("bedrock-runtime", "/x", {}, seconds=5)
    assert (caught.value.outcome, models.asked) == (outcome, [])


@pytest.mark.parametrize(
    ("is_dual_stack", "host"),
    [(False, "bedrock-runtime.eu-central-1.amazonaws.com"), (True, "bedrock-runtime.eu-central-1.api.aws")],
)
def test_the_endpoint_is_the_one_that_boto3_takes(is_dual_stack: bool, host: str) -> None:  # noqa: FBT001
    session: Any = boto3.Session("AKIDEXAMPLE", "secret", region_name=REGION)
    theirs = session.client("bedrock-runtime", config=Config(use_dualstack_endpoint=is_dual_stack)).meta.endpoint_url
    ours = BedrockApi(no_credentials, region=REGION, is_dual_stack=is_dual_stack)._endpoint("bedrock-runtime")
    assert (ours.url, theirs) == (f"https://{host}", f"https://{host}")
