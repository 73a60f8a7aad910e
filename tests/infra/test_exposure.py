"""What of a stage can be reached from outside: the API over TLS, and nothing else."""

from tests.fixtures.stage_templates import Resources, flat, functions_by_name, of_type


def test_no_security_group_lets_addresses_in(resources: Resources) -> None:
    inline = [each.get("SecurityGroupIngress", []) for each in of_type(resources, "AWS::EC2::SecurityGroup").values()]
    rules = [
        *of_type(resources, "AWS::EC2::SecurityGroupIngress").values(),
        *(rule for each in inline for rule in each),
    ]
    assert rules
    assert [rule for rule in rules if "SourceSecurityGroupId" not in rule] == []
    assert [rule for rule in rules if {"CidrIp", "CidrIpv6", "SourcePrefixListId"} & rule.keys()] == []


def test_the_database_has_no_public_address(resources: Resources) -> None:
    instances = of_type(resources, "AWS::RDS::DBInstance").values()
    assert [instance["PubliclyAccessible"] for instance in instances] == [False]


def test_no_bucket_can_be_made_public(resources: Resources) -> None:
    blocks = [each["PublicAccessBlockConfiguration"] for each in of_type(resources, "AWS::S3::Bucket").values()]
    assert blocks
    assert all(len(block) == 4 and set(block.values()) == {True} for block in blocks)


def test_every_function_that_touches_the_database_is_in_the_network(resources: Resources) -> None:
    functions = functions_by_name(resources)
    outside = {name for name, each in functions.items() if not each.get("VpcConfig", {}).get("SubnetIds")}
    assert outside <= {"lorebase-test-embedder", "lorebase-test-issuers"}
    assert len(functions) - len(outside) == 6


def test_every_function_writes_json_to_its_own_encrypted_log(resources: Resources) -> None:
    names = {name: each["LogGroupName"] for name, each in of_type(resources, "AWS::Logs::LogGroup").items()}
    for function, properties in functions_by_name(resources).items():
        logging = properties["LoggingConfig"]
        assert logging["LogFormat"] == "JSON"
        assert names[flat(logging["LogGroup"]).strip("<>")] == f"/aws/lambda/{function}"
        assert (
            properties.get("TracingConfig", {}).get("Mode", properties.get("Tracing", "PassThrough")) == "PassThrough"
        )


def test_every_log_forgets(resources: Resources) -> None:
    assert {each["RetentionInDays"] for each in of_type(resources, "AWS::Logs::LogGroup").values()} == {30}


def test_the_function_of_the_api_has_the_role_that_we_made(resources: Resources) -> None:
    (function,) = of_type(resources, "AWS::Serverless::Function").values()
    assert resources[flat(function["Role"]).strip("<>").removesuffix(".Arn")]["Type"] == "AWS::IAM::Role"
    assert "Policies" not in function
    assert "Events" not in function


def test_the_api_speaks_tls_1_2_at_least_logs_access_and_holds_back_floods(resources: Resources) -> None:
    (api,) = of_type(resources, "AWS::Serverless::Api").values()
    policy = api["DefinitionBody"]["x-amazon-apigateway-security-policy"]
    assert policy.startswith("SecurityPolicy_TLS13_1_2") or policy == "TLS_1_2"
    assert "DestinationArn" in api["AccessLogSetting"]
    (method,) = api["MethodSettings"]
    assert (method["ResourcePath"], method["HttpMethod"], method["DataTraceEnabled"]) == ("/*", "*", False)
    assert method["ThrottlingRateLimit"] > 0


def test_only_the_api_may_call_its_function(resources: Resources) -> None:
    permissions = of_type(resources, "AWS::Lambda::Permission").values()
    assert {(flat(each["FunctionName"]), each["Principal"]) for each in permissions} == {
        ("<APIHandler>", "apigateway.amazonaws.com")
    }
    assert all("SourceArn" in each for each in permissions)
