"""What cannot be deployed is refused before anything is made, in words that name the field and what fits there."""

from collections.abc import Mapping
from pathlib import Path

import aws_cdk as cdk
import pytest

from infra import app
from infra.app import choices_of
from infra.code import PACKAGE
from infra.configuration import UnknownStage, read_deployment
from infra.wrong_choice import WrongChoice


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lorebase.toml"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[stages.dev]\nnetwrok = "ipv6"', "there is no field netwrok; did you mean network?"),
        ("[stages.dev]\nfoo = 1", "there is no field foo; docs/aws.md lists all of them"),
        ("[stages.dev.database]\nmax_units = 8", "no field database.max_units; did you mean most_units?"),
        ('[stages.dev.domain]\nnames = "x"', "no field domain.names; did you mean name?"),
        ('[stages.dev.domain]\nname = "x"', "domain.hosted_zone_id is missing; domain.hosted_zone_name is missing"),
        ("[stages.dev]\nlog_days = 31", "log_days: it should be 7, 14, 30, 90 or 365, and is 31"),
        ('[stages.dev]\nkeep_data = "maybe"\nfirewall = 7', "keep_data: it should be a valid boolean"),
        ("[stages.dev]\nquotas = { itmes = 3 }", r"there are no quotas \['itmes'\]"),
        ("[stages.dev]\nquotas = { items = -3 }", "quotas.items: it should be greater than or equal to 0, and is -3"),
        ('[stages.dev]\nalarm_address = "nobody"', "alarm_address: 'nobody' does not have the form that docs/aws.md"),
        ('[stages.dev]\ncors_origins = "https://a"', "cors_origins: it must be a list, given as JSON"),
        ("[stages.dev]\ndatabase = 8", "database: it must be a table, given as JSON"),
        ("[stages.dev.database]\nleast_units = 8", r"least_units \(8\) must not exceed most_units \(4\)"),
        ("[stages.dev.database]\nleast_units = 0.3", "database.least_units: it should be a multiple of 0.5"),
        ('[stages.dev.database]\nengine_version = "17.3"', "database.engine_version: '17.3' does not have the form"),
        ('[stages.dev.database]\nengine_version = "16.1"', "database.engine_version: '16.1' does not have the form"),
        ('[stages.dev]\noriginals_key = "arn"', "originals_key is the key of originals_bucket, which is not given"),
        ('[stages.dev]\noriginals_bucket = ""', "originals_bucket: String should have at least 1 character"),
        ('[stages.dev.domain]\nname = ""', "domain.name: String should have at least 1 character"),
        ("[stages.dev", "lorebase.toml is not TOML: .*end of document"),
        ('[stage.dev]\nnetwork = "ipv6"', r"lorebase.toml has tables \[stages.NAME\] and nothing beside; remove stage"),
        ('network = "ipv6"\n[stages.dev]', "nothing beside; remove network"),
        ('stages = "dev"', "what stands under stages is none"),
        ("[stages]\ndev = 3", "what stands under stages is none"),
    ],
)
def test_a_file_with_a_mistake_is_refused(file: Path, text: str, words: str) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(WrongChoice, match=words):
        read_deployment(file, {})


@pytest.mark.parametrize("stage", ["a--b", "dev-", "-dev", "1st", "Dev", "abcdefghijklmnopq"])
def test_a_stage_whose_name_a_cluster_could_not_bear_is_refused(file: Path, stage: str) -> None:
    with pytest.raises(WrongChoice, match="stage: "):
        read_deployment(file, {"stage": stage})


@pytest.mark.parametrize("text", ["", "[stages.dev]"])
@pytest.mark.parametrize("stage", [["dev"], {"dev": 1}, None, 5])
def test_a_stage_that_is_no_text_is_refused(file: Path, text: str, stage: object) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(WrongChoice, match="stage: it should be a valid string"):
        read_deployment(file, {"stage": stage})


def test_a_file_may_begin_with_the_mark_that_windows_puts_there(file: Path) -> None:
    file.write_text("[stages.dev]\nlog_days = 90", "utf-8-sig")
    assert read_deployment(file, {}).log_days == 90


def test_all_mistakes_are_told_at_once(file: Path) -> None:
    file.write_text('[stages.dev]\nlog_days = 31\nnetwork = "foo"\nfirewal = true', "utf-8")
    with pytest.raises(WrongChoice) as refused:
        read_deployment(file, {})
    assert all(word in str(refused.value) for word in ("log_days", "network", "firewal"))


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"netwrok": "ipv6"}, "--context netwrok: there is no field netwrok; did you mean network?"),
        ({"database.most_units": "8"}, "--context 'database={\"most_units\": …}'"),
        ({"database": '{"most_units": 8'}, "--context database: .* is not JSON"),
        ({"cors_origins": "[https://a]"}, "--context cors_origins: .* is not JSON"),
    ],
)
def test_a_misspelt_command_line_is_refused(context: Mapping[str, str], words: str) -> None:
    with pytest.raises(WrongChoice, match=words):
        choices_of(cdk.App(context=dict(context)))


def test_the_command_line_sets_every_kind_of_field(file: Path) -> None:
    context = {
        "stage": "test",
        "log_days": "90",
        "keep_data": "false",
        "requests_per_second": "7",
        "database": '{"most_units": 8}',
        "cors_origins": '["https://a.example"]',
        PACKAGE: "/packaged/before.zip",
        "@aws-cdk/core:newStyleStackSynthesis": "true",
        "availability-zones:account=1:region=x": "kept by the CDK",
    }
    chosen = read_deployment(file, choices_of(cdk.App(context=context)))
    assert (chosen.stage, chosen.log_days, chosen.keep_data, chosen.requests_per_second) == ("test", 90, False, 7)
    assert (chosen.database.most_units, chosen.cors_origins) == (8, ("https://a.example",))


def test_an_unknown_stage_is_a_wrong_choice(file: Path) -> None:
    file.write_text("[stages.prod]", "utf-8")
    with pytest.raises(UnknownStage, match="no stage dev; it has prod") as refused:
        read_deployment(file, {})
    assert isinstance(refused.value, WrongChoice)


def test_a_refusal_ends_the_app_with_one_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("[stages.dev]\nlog_days = 31", "utf-8")
    monkeypatch.setattr(app, "CONFIGURATION", file)
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == "Nothing is deployed: log_days: it should be 7, 14, 30, 90 or 365, and is 31"
