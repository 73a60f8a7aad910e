"""The CDK app: `cdk deploy --context stage=NAME` puts one stage into the account and region of the caller."""

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import aws_cdk as cdk

from infra.code import PACKAGE
from infra.configuration import Deployment, read_deployment
from infra.stack import LorebaseStack
from infra.wrong_choice import WrongChoice, unknown_field

CONFIGURATION = Path(__file__).resolve().parents[1] / "lorebase.toml"


_OWN_CONTEXT = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
"""What the CDK puts into the context by itself has a colon, a slash or a hyphen in its name."""


def choices_of(app: cdk.App) -> Mapping[str, Any]:
    """Return the fields of a deployment that the context sets; the command line gives tables and lists as JSON.

    Raises WrongChoice: what is misspelt must not be deployed without.
    """
    known = list(Deployment.model_fields)
    for name in app.node.get_all_context():
        if name not in (*known, PACKAGE) and _OWN_CONTEXT.fullmatch(name):
            raise WrongChoice(f"--context {name}: {_explained(name, known)}")
    given = {name: app.node.try_get_context(name) for name in known}
    return {name: _parsed(name, value) for name, value in given.items() if value is not None}


def _explained(name: str, known: Sequence[str]) -> str:
    table, dot, field = name.partition(".")
    if dot and table in known:
        return f"a table is given as JSON: --context '{table}={{\"{field}\": …}}'"
    return unknown_field(name, known)


def _parsed(name: str, value: object) -> object:
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise WrongChoice(f"--context {name}: {value} is not JSON: {error}") from None


def main() -> None:
    """Synthesize the stage that the context names."""
    app = cdk.App()
    try:
        deployment = read_deployment(CONFIGURATION, choices_of(app))
    except WrongChoice as error:
        sys.exit(f"Nothing is deployed: {error}")
    # The CDK's command line sets both (docs.aws.amazon.com/cdk/v2/guide/configure-env.html).
    home = cdk.Environment(account=os.environ.get("CDK_DEFAULT_ACCOUNT"), region=os.environ.get("CDK_DEFAULT_REGION"))
    LorebaseStack(app, deployment.name, deployment=deployment, env=home)
    app.synth()


if __name__ == "__main__":
    main()
