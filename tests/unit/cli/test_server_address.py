"""Which server is asked, and with which key."""

from pathlib import Path

import pytest

from chalicelib.cli.errors import KeyMissing
from chalicelib.cli.server_address import find_key, find_server
from chalicelib.platform.local.data_folder import DataFolder
from chalicelib.settings import Settings


def settings_in(folder: Path, **given: str | int) -> Settings:
    return Settings.model_validate({"home": folder, **given})


def test_running_server_is_found_by_what_it_left_in_the_data_folder(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, port=8123)
    assert find_server(settings, endpoint=None).url == "http://127.0.0.1:8123"

    with DataFolder(tmp_path).occupy("http://127.0.0.1:40001"):
        assert find_server(settings, endpoint=None).url == "http://127.0.0.1:40001"

    assert find_server(settings, endpoint=None).url == "http://127.0.0.1:8123"


def test_given_endpoint_goes_before_the_set_one(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, endpoint="https://set.example.org/")

    assert find_server(settings, endpoint=None).url == "https://set.example.org"
    assert find_server(settings, endpoint="given.example.org").url == "https://given.example.org"


def test_local_key_is_for_servers_on_this_machine_alone(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    DataFolder(tmp_path).owner_key.write_text("lb_local\n")

    assert find_key(settings, find_server(settings, endpoint=None), key=None) == "lb_local"
    assert find_key(settings, find_server(settings, endpoint="http://localhost:9"), key=None) == "lb_local"
    elsewhere = find_server(settings, endpoint="https://example.org")
    with pytest.raises(KeyMissing, match="LOREBASE_KEY"):
        find_key(settings, elsewhere, key=None)
    assert find_key(settings, elsewhere, key="lb_given") == "lb_given"


@pytest.mark.parametrize("empty", ["", " "])
def test_empty_key_does_not_stand_for_the_local_owner(tmp_path: Path, empty: str) -> None:
    DataFolder(tmp_path).owner_key.write_text("lb_local\n")
    settings = settings_in(tmp_path, key=empty)
    own = find_server(settings, endpoint=None)

    with pytest.raises(KeyMissing, match="LOREBASE_KEY is set but empty"):
        find_key(settings, own, key=None)
    with pytest.raises(KeyMissing, match="--key is set but empty"):
        find_key(settings_in(tmp_path, key="lb_set"), own, key=empty)
    assert find_key(settings, own, key="lb_given") == "lb_given"


def test_missing_key_says_where_it_was_looked_for(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)

    with pytest.raises(KeyMissing, match="lorebase serve") as raised:
        find_key(settings, find_server(settings, endpoint=None), key=None)
    assert str(tmp_path / "owner-key") in raised.value.detail


def test_set_key_stays_out_of_what_is_printed(tmp_path: Path) -> None:
    assert "lb_secret" not in repr(settings_in(tmp_path, key="lb_secret"))
