"""The CDK app: `cdk deploy --context stage=NAME` puts one stage into the account and region of the caller."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk

from infra.configuration import Deployment, read_deployment
from infra.stack import LorebaseStack

CONFIGURATION = Path(__file__).resolve().parents[1] / "lorebase.toml"


def choices_of(app: cdk.App) -> Mapping[str, Any]:
    """Return the fields of a deployment that the context sets; the command line gives tables and lists as JSON."""
    given = {name: app.node.try_get_context(name) for name in Deployment.model_fields}
    return {name: _parsed(value) for name, value in given.items() if value is not None}


def _parsed(value: object) -> object:
    return json.loads(value) if isinstance(value, str) and value[:1] in ("{", "[") else value


def main() -> None:
    """Synthesize the stage that the context names."""
    app = cdk.App()
    deployment = read_deployment(CONFIGURATION, choices_of(app))
    # The CDK's command line sets both (docs.aws.amazon.com/cdk/v2/guide/configure-env.html).
    home = cdk.Environment(account=os.environ.get("CDK_DEFAULT_ACCOUNT"), region=os.environ.get("CDK_DEFAULT_REGION"))
    LorebaseStack(app, deployment.name, deployment=deployment, env=home)
    app.synth()


if __name__ == "__main__":
    main()
