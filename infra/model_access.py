"""The models of providers that a stage has chosen: which functions may ask them, and with what.

The API asks about questions and their hits, the index worker about passages and documents; no other function gets
anything of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.configuration import BEDROCK, Deployment
from infra.own_secrets import secret_arn
from infra.suppressions import suppress_wildcard

ASKERS = ("api", "index")
# docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
_AREAS = frozenset({"global", "us", "us-gov", "eu", "apac", "jp", "au", "ca"})


@dataclass(frozen=True, slots=True)
class ModelPermission:
    """One line of what those functions may do; the page of permissions shows it."""

    actions: Sequence[str]
    resources: str
    why: str


INVOKE = ModelPermission(
    ("bedrock:InvokeModel",), "models of Bedrock that are chosen", "embeds, writes and reranks by them"
)
RERANK = ModelPermission(
    ("bedrock:Rerank",), "*", "reranks, where a reranker of Bedrock is chosen; AWS lets it name no resource"
)
READ_KEY = ModelPermission(
    ("secretsmanager:GetSecretValue",), "secret model-key-NAME of each other provider", "shows it to the provider"
)
MODEL_PERMISSIONS = (INVOKE, RERANK, READ_KEY)


def model_settings(deployment: Deployment) -> Mapping[str, object]:
    """Return the settings of every function of the stage, by name."""
    return {
        "embedders": list(deployment.embedders),
        "language_model": deployment.language_model,
        "reranker": deployment.reranker,
        "model_prices": {name: dict(price) for name, price in deployment.model_prices.items()},
        "currency": deployment.currency,
        "model_endpoints": ",".join(f"{name}={url}" for name, url in sorted(deployment.model_endpoints.items())),
    }


def grant_models(scope: Construct, deployment: Deployment, role: iam.Role) -> None:
    """Let a role ask what is chosen, and nothing where nothing is."""
    arns = [arn for spec in deployment.models if spec.startswith(BEDROCK) for arn in _arns_of(_model_of(spec))]
    if arns:
        role.add_to_policy(iam.PolicyStatement(actions=list(INVOKE.actions), resources=sorted({*arns})))
        for arn in arns:
            if ":*::" in arn:
                suppress_wildcard(role, arn, reason="A profile has its model answer in one of several regions.")
    if deployment.reranker.startswith(BEDROCK):
        role.add_to_policy(iam.PolicyStatement(actions=list(RERANK.actions), resources=[RERANK.resources]))
    keys = [secret_arn(scope, deployment, f"model-key-{name}") for name in deployment.other_providers]
    if keys:
        role.add_to_policy(iam.PolicyStatement(actions=list(READ_KEY.actions), resources=keys))


def _model_of(spec: str) -> str:
    """Return the model of `bedrock:model@dimensions`."""
    return spec.removeprefix(BEDROCK).partition("@")[0]


def _arns_of(model: str) -> Sequence[str]:
    """Return what to allow for a model: itself, or a profile and its model wherever the profile has it answer.

    docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
    """
    if model.startswith("arn:"):
        return [model]
    foundation = f"arn:{Aws.PARTITION}:bedrock:{Aws.REGION}::foundation-model/{model}"
    area, _, name = model.partition(".")
    if area not in _AREAS:
        return [foundation]
    profile = f"arn:{Aws.PARTITION}:bedrock:{Aws.REGION}:{Aws.ACCOUNT_ID}:inference-profile/{model}"
    everywhere = [f"arn:{Aws.PARTITION}:bedrock:::foundation-model/{name}"] if area == "global" else []
    return [profile, f"arn:{Aws.PARTITION}:bedrock:*::foundation-model/{name}", *everywhere]
