"""Settings are read from the environment, wrong ones are named, and docs/configuration.md lists them all."""

import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from chalicelib.settings import MEBIBYTE, Settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"LOREBASE_{name.upper()}", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)


def test_the_page_has_the_row_of_every_setting_and_no_other() -> None:
    rows = re.findall(r"^\| `LOREBASE_.*$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(row_of(name, field) for name, field in Settings.model_fields.items())


def row_of(name: str, field: FieldInfo) -> str:
    """Return the line of the page that says what the module says about a setting."""
    return f"| `LOREBASE_{name.upper()}` | {default_of(field)} | {values_of(field)} | {field.description} |"


def default_of(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    if default is None or default in ("", []):
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if type(default) is int and default % MEBIBYTE == 0 and default:
        return f"`{default}` ({default // MEBIBYTE} MiB)"
    return f"`{default}`"


def values_of(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(field.annotation))
    if field.annotation == list[str]:
        return "a JSON list"
    if get_origin(field.annotation) is dict:
        return "a JSON object"
    if field.annotation is bool:
        return "`true`, `false`"
    bounds = []
    for bound in field.metadata:
        match bound:
            case Ge(ge=least):
                bounds.append(f"from {least}")
            case Gt(gt=below):
                bounds.append(f"above {below}")
            case Le(le=most):
                bounds.append(f"to {most}")
    return " ".join(bounds)


def test_a_setting_comes_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREBASE_PORT", "8311")
    monkeypatch.setenv("LOREBASE_CORS_ORIGINS", '["https://wiki.example"]')
    settings = Settings()
    assert (settings.port, settings.cors_origins) == (8311, ["https://wiki.example"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "70000"),
        ("PORT", "http"),
        ("EMBEDDER", "cloud"),
        ("LANE_SECONDS", "0"),
        ("CORS_ORIGINS", '"*"'),
        ("CURRENCY", "euro"),
        ("MODEL_PRICES", '{"a": {"input": -1}}'),
        ("MODEL_PRICES", '{"a": {"in": 1}}'),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"LOREBASE_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_an_overlap_of_more_than_half_a_chunk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREBASE_CHUNK_TOKENS", "100")
    monkeypatch.setenv("LOREBASE_CHUNK_OVERLAP", "51")
    with pytest.raises(ValidationError, match="LOREBASE_CHUNK_OVERLAP must be at most half"):
        Settings()


def test_the_key_is_not_shown_where_settings_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREBASE_KEY", "lb_secret")
    assert "lb_secret" not in repr(Settings())


def test_the_data_folder_is_absolute_and_without_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREBASE_HOME", "~/somewhere")
    assert Settings().data_folder == Path.home() / "somewhere"


def test_the_cache_folder_lies_in_the_cache_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Settings().cache_folder == tmp_path / "lorebase"
