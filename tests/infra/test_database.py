"""The cluster is encrypted, backed up, protected and entered by IAM; it may pause, and only where it should."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from chalicelib.platform.aws.database_login import certificates_of
from chalicelib.platform.local.postgres.settings import render_settings
from chalicelib.settings import Settings
from infra.database_parameters import parameters_of
from tests.fixtures.foundations import DEPLOYMENTS, Resource, of_type, only, statements, templates

KEY = {"Fn::GetAtt": ["EncryptionKey3A692D6E", "Arn"]}
# What of ours may run longest in one transaction: migrations, which lift the limit (migrate.py).
LANE_SECONDS = Settings.model_fields["lane_seconds"].default


@pytest.fixture(params=sorted(DEPLOYMENTS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def resources(kind: str) -> Mapping[str, Resource]:
    return templates()[kind]


@pytest.fixture
def cluster(resources: Mapping[str, Resource]) -> Resource:
    return only(resources, "AWS::RDS::DBCluster")


def logical_id(resources: Mapping[str, Resource], kind: str) -> str:
    [found] = [name for name, resource in resources.items() if resource["Type"] == kind]
    return found


def test_everything_that_is_kept_is_encrypted_with_the_stages_key(cluster: Resource) -> None:
    properties = cluster["Properties"]
    assert properties["StorageEncrypted"] is True
    assert properties["KmsKeyId"] == KEY
    assert properties["MasterUserSecret"] == {"KmsKeyId": KEY}
    assert properties["PerformanceInsightsKmsKeyId"] == KEY


def test_the_masters_password_is_in_no_template(cluster: Resource, resources: Mapping[str, Resource]) -> None:
    assert cluster["Properties"]["ManageMasterUserPassword"] is True
    assert '"MasterUserPassword"' not in json.dumps(resources)


def test_logins_are_by_iam_and_over_tls(cluster: Resource, resources: Mapping[str, Resource]) -> None:
    assert cluster["Properties"]["EnableIAMDatabaseAuthentication"] is True
    parameters = only(resources, "AWS::RDS::DBClusterParameterGroup")["Properties"]
    assert parameters["Family"] == "aurora-postgresql17"
    assert parameters["Parameters"]["rds.force_ssl"] == "1"
    assert cluster["Properties"]["DBClusterParameterGroupName"] == {
        "Ref": logical_id(resources, "AWS::RDS::DBClusterParameterGroup")
    }


def test_the_server_proves_itself_by_an_authority_that_we_ship(resources: Mapping[str, Resource]) -> None:
    writer = only(resources, "AWS::RDS::DBInstance")["Properties"]
    assert writer["CACertificateIdentifier"] == "rds-ca-rsa2048-g1"
    assert certificates_of("eu-central-1", proxied=False).is_file()
    assert writer["PubliclyAccessible"] is False


@pytest.mark.parametrize(("kind", "least", "pauses"), [("endpoints", 0, True), ("ipv6", 0.5, False), ("nat", 0, True)])
def test_a_cluster_without_a_floor_may_pause(kind: str, least: float, pauses: bool) -> None:  # noqa: FBT001 - a case
    scaling = only(templates()[kind], "AWS::RDS::DBCluster")["Properties"]["ServerlessV2ScalingConfiguration"]
    assert scaling["MinCapacity"] == least
    assert scaling["MaxCapacity"] == 4
    assert scaling.get("SecondsUntilAutoPause") == (300 if pauses else None)


def test_idle_sessions_end_before_the_pause_unless_a_proxy_keeps_them() -> None:
    parameters = parameters_of(DEPLOYMENTS["endpoints"])
    assert int(parameters["idle_session_timeout"]) / 1000 < DEPLOYMENTS["endpoints"].database.pause_after_seconds
    assert "idle_session_timeout" not in parameters_of(DEPLOYMENTS["nat"])


def test_no_statement_that_serves_meets_the_limit_of_statements() -> None:
    assert int(parameters_of(DEPLOYMENTS["endpoints"])["statement_timeout"]) / 1000 > 10 * LANE_SECONDS


def test_tables_are_analysed_as_soon_after_a_first_upload_as_on_a_laptop(
    resources: Mapping[str, Resource], tmp_path: Path
) -> None:
    """What the interval is good for is shown on a server by tests/unit/search/test_fresh_statistics.py."""
    parameters = only(resources, "AWS::RDS::DBClusterParameterGroup")["Properties"]["Parameters"]
    said = f"autovacuum_naptime = '{parameters['autovacuum_naptime']}s'"
    assert said in render_settings(tmp_path, tmp_path, {}).splitlines()


def test_the_log_holds_no_values() -> None:
    parameters = parameters_of(DEPLOYMENTS["endpoints"])
    assert parameters["log_parameter_max_length"] == "0"
    assert parameters["log_error_verbosity"] == "terse"
    assert "log_statement" not in parameters


def test_the_log_is_kept_encrypted_for_the_stages_days(
    kind: str, cluster: Resource, resources: Mapping[str, Resource]
) -> None:
    assert cluster["Properties"]["EnableCloudwatchLogsExports"] == ["postgresql"]
    name = f"/aws/rds/cluster/{DEPLOYMENTS[kind].name}/postgresql"
    [(log_id, log)] = [
        (found, resource["Properties"])
        for found, resource in resources.items()
        if resource["Type"] == "AWS::Logs::LogGroup" and resource["Properties"]["LogGroupName"] == name
    ]
    assert (log["KmsKeyId"], log["RetentionInDays"]) == (KEY, 30)
    assert log_id in cluster["DependsOn"]


@pytest.mark.parametrize(("kind", "policy", "protected"), [("endpoints", "Snapshot", True), ("nat", "Delete", False)])
def test_kept_data_is_protected_and_leaves_a_snapshot(kind: str, policy: str, protected: bool) -> None:  # noqa: FBT001 - a case
    cluster = only(templates()[kind], "AWS::RDS::DBCluster")
    assert (cluster["DeletionPolicy"], cluster["UpdateReplacePolicy"]) == (policy, policy)
    assert cluster["Properties"]["DeletionProtection"] is protected


def test_backups_are_kept_for_the_days_that_were_chosen(kind: str, cluster: Resource) -> None:
    assert cluster["Properties"]["BackupRetentionPeriod"] == DEPLOYMENTS[kind].database.backup_days
    assert cluster["Properties"]["CopyTagsToSnapshot"] is True


@pytest.mark.parametrize("kind", ["endpoints", "ipv6"])
def test_a_function_may_log_in_as_the_role_that_serves_by_the_id_of_the_cluster(kind: str) -> None:
    resources = templates()[kind]
    cluster_id = {"Fn::GetAtt": [logical_id(resources, "AWS::RDS::DBCluster"), "DBClusterResourceId"]}
    for principal in ("Reader", "ServedRole"):
        [statement] = [s for s in statements(resources, principal) if s["Action"] == "rds-db:connect"]
        parts = statement["Resource"]["Fn::Join"][1]
        assert cluster_id in parts
        assert parts[-1] == "/lorebase_app"


def test_behind_a_proxy_it_logs_in_there_and_the_proxy_as_the_same_role() -> None:
    resources = templates()["nat"]
    [by_function] = [s for s in statements(resources, "Reader") if s["Action"] == "rds-db:connect"]
    [by_proxy] = statements(resources, "DatabaseProxyRole")
    assert logical_id(resources, "AWS::RDS::DBProxy") in json.dumps(by_function["Resource"])
    assert logical_id(resources, "AWS::RDS::DBCluster") in json.dumps(by_proxy["Resource"])
    for statement in (by_function, by_proxy):
        assert statement["Resource"]["Fn::Join"][1][-1] == "/lorebase_app"


def test_the_proxy_speaks_tls_and_needs_no_secret() -> None:
    [proxy] = of_type(templates()["nat"], "AWS::RDS::DBProxy")
    assert (proxy["RequireTLS"], proxy["DefaultAuthScheme"]) == (True, "IAM_AUTH")
    assert "Auth" not in proxy
    assert of_type(templates()["endpoints"], "AWS::RDS::DBProxy") == []


@pytest.mark.parametrize(("kind", "proxied"), [("endpoints", "false"), ("ipv6", "false"), ("nat", "true")])
def test_functions_are_told_where_the_database_is(kind: str, proxied: str) -> None:
    resources = templates()[kind]
    variables = only(resources, "AWS::Lambda::Function", prefix="Served")["Properties"]["Environment"]["Variables"]
    behind = "AWS::RDS::DBProxy" if kind == "nat" else "AWS::RDS::DBCluster"
    assert variables["LOREBASE_DATABASE_HOST"]["Fn::GetAtt"][0] == logical_id(resources, behind)
    assert variables["LOREBASE_DATABASE_PROXIED"] == proxied
    assert variables["LOREBASE_DATABASE_NAME"] == only(resources, "AWS::RDS::DBCluster")["Properties"]["DatabaseName"]
    assert "LOREBASE_DATABASE_MASTER_SECRET" not in variables
