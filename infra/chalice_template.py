"""Takes from Chalice what it knows, which is the routes, and nothing of how it packages."""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aws_cdk import CfnResource, Stack, Token
from aws_cdk import aws_lambda as lambda_
from chalice.cdk import Chalice
from constructs import Construct

_ROOT = Path(__file__).resolve().parents[1]
_REGION = "AWS_DEFAULT_REGION"
_ANY_REGION = "us-east-1"

GATEWAY_STAGE = "api"
"""The stage of API Gateway, the first segment of the paths that it serves under its own name."""


class ChaliceTemplate(Chalice):
    """The SAM resources that Chalice makes of app.py, on code that is packaged elsewhere.

    Chalice would run pip for whatever interpreter synthesizes, upload a package of its own, and leave its
    work in a folder of the project; it is given a copy of app.py with no requirements, in a temporary folder.
    """

    def __init__(
        self, scope: Construct, identifier: str, *, code: lambda_.Code, stage_config: Mapping[str, object]
    ) -> None:
        self._code = code
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _some_region(scope):
            super().__init__(scope, identifier, source_dir=str(_staged(Path(folder))), stage_config=dict(stage_config))

    @property
    def api(self) -> CfnResource:
        """The AWS::Serverless::Api."""
        return self._resource("RestAPI")

    @property
    def handler(self) -> CfnResource:
        """The AWS::Serverless::Function."""
        return self._resource("APIHandler")

    def _resource(self, name: str) -> CfnResource:
        resource: CfnResource = self.get_resource(name)
        return resource

    def _generate_sam_template_with_assets(self, output_folder: str, package_id: str) -> str:
        """Return the path of Chalice's template, with our code in place of its own."""
        location = self._code.bind(self).s3_location
        if location is None:
            raise LookupError("The shared code is to be a zip in a bucket.")
        source = Path(output_folder) / package_id / "sam.json"
        template: dict[str, Any] = json.loads(source.read_text("utf-8"))
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::Serverless::Function":
                resource["Properties"]["CodeUri"] = {"Bucket": location.bucket_name, "Key": location.object_key}
        # Chalice's outputs would have to be unique among those of the whole stack.
        template["Outputs"] = {}
        target = source.with_name("sam-with-code.json")
        target.write_text(json.dumps(template), "utf-8")
        return str(target)


def _staged(folder: Path) -> Path:
    staged = folder / "source"
    (staged / ".chalice").mkdir(parents=True)
    shutil.copy(_ROOT / "app.py", staged)
    (staged / "requirements.txt").write_text("", "utf-8")
    (staged / ".chalice" / "config.json").write_text(json.dumps({"version": "2.0", "app_name": "lorebase"}), "utf-8")
    return staged


@contextlib.contextmanager
def _some_region(scope: Construct) -> Iterator[None]:
    """Let Chalice have a region: it asks for one to name API Gateway's principal, the same in all of them."""
    before = os.environ.get(_REGION)
    region = Stack.of(scope).region
    os.environ[_REGION] = before or (_ANY_REGION if Token.is_unresolved(region) else region)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_REGION]
