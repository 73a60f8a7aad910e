from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chalicelib.platform.aws.secrets import ManagedSecrets
from chalicelib.platform.generated_secrets import read_or_create
from chalicelib.platform.local.secrets import LocalSecrets
from chalicelib.platform.ports import Secrets


@pytest.fixture(params=["local", "aws"])
def secrets(request: pytest.FixtureRequest, tmp_path: Path) -> Secrets:
    if request.param == "local":
        return LocalSecrets(tmp_path / "secrets")
    aws = request.getfixturevalue("aws")
    return ManagedSecrets(aws.clients, prefix=f"{aws.bucket}/")


def test_a_secret_is_written_replaced_and_destroyed(secrets: Secrets) -> None:
    assert secrets.read("a") is None
    secrets.write("a", "one")
    secrets.write("b", "other ü 😀")
    assert (secrets.read("a"), secrets.read("b")) == ("one", "other ü 😀")
    secrets.write("a", "two")
    secrets.write("a", "two")
    assert secrets.read("a") == "two"
    secrets.delete("a")
    secrets.delete("a")
    assert (secrets.read("a"), secrets.read("b")) == (None, "other ü 😀")


def test_creating_keeps_what_is_there(secrets: Secrets) -> None:
    assert secrets.create("a", "first") == "first"
    assert secrets.create("a", "second") == "first"
    assert secrets.read("a") == "first"


def test_whoever_needs_a_new_secret_at_once_gets_the_same(secrets: Secrets) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = set(threads.map(lambda _: read_or_create(secrets, "pepper"), range(16)))
    assert answers == {secrets.read("pepper")}
    assert len(answers.pop()) >= 43
