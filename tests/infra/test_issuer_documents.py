"""What fetches issuers' documents stands outside the network, holds nothing, and is called by the API alone."""

import importlib

from tests.fixtures.stage_templates import (
    Resources,
    flat,
    functions_by_name,
    identity_statements,
    listed,
    named,
    permits_of,
    role_of,
)

NAME = "lorebase-test-issuers"


def test_the_function_is_on_the_shared_code_and_in_no_network(resources: Resources) -> None:
    functions = functions_by_name(resources)
    function = functions[NAME]
    assert "VpcConfig" not in function
    assert function["Code"] == functions["lorebase-test-sweep"]["Code"]
    assert (function["MemorySize"], function["Timeout"]) == (512, 10)
    module, _, name = function["Handler"].rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


def test_it_knows_the_name_of_its_stage_and_nothing_else(resources: Resources) -> None:
    assert functions_by_name(resources)[NAME]["Environment"]["Variables"] == {"LOREBASE_STAGE": "test"}


def test_it_may_write_its_log_and_read_its_variables_alone(resources: Resources) -> None:
    role = role_of(functions_by_name(resources)[NAME])
    assert {permit.action for permit in permits_of(resources, role)} == {
        "kms:Decrypt",
        "logs:CreateLogStream",
        "logs:PutLogEvents",
    }
    (decrypts,) = [
        statement
        for name, statement in identity_statements(resources)
        if name == role and "kms:Decrypt" in listed(statement["Action"])
    ]
    ((context, function),) = decrypts["Condition"]["StringEquals"].items()
    assert context == "kms:EncryptionContext:aws:lambda:FunctionArn"
    assert flat(function).endswith(f":function:{NAME}")


def test_the_api_alone_knows_it_and_may_call_it(resources: Resources) -> None:
    functions = functions_by_name(resources)
    logical_id = named(resources, "AWS::Lambda::Function", "FunctionName", NAME)
    callers = {
        role
        for role, statement in identity_statements(resources)
        if f"<{logical_id}.Arn>" in map(flat, listed(statement["Resource"]))
    }
    assert callers == {role_of(functions["lorebase-test-api"])}
    knowing = {
        name
        for name, each in functions.items()
        if "LOREBASE_ISSUER_FUNCTION" in each.get("Environment", {}).get("Variables", {})
    }
    assert knowing == {"lorebase-test-api"}
    assert (
        flat(functions["lorebase-test-api"]["Environment"]["Variables"]["LOREBASE_ISSUER_FUNCTION"])
        == f"<{logical_id}>"
    )
