"""The watch over leaks itself: a test that lets one out fails, and one that does not passes."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = str(Path(__file__).resolve().parents[2])
LEAKY = """
import logging, sys
from tests.fixtures.canaries import PEPPER, plant, plant_request

LOGGER = logging.getLogger("chalicelib.a")
BODY = "a sentence that only its readers may see"

def test_harmless():
    plant(BODY)
    LOGGER.info("Item %s is kept.", 7)
    print("something else", file=sys.stderr)

def test_body_in_a_message():
    plant_request({"items": [{"body": "# Title\\n" + BODY}]})
    LOGGER.debug("Refused: %s", BODY)

def test_question_in_an_extra():
    plant_request({"query": BODY})
    LOGGER.info("answered", extra={"asked": BODY})

def test_quoted_by_the_warning_of_another_package():
    plant(BODY)
    logging.getLogger("botocore").warning("sent %r", BODY)

def test_pepper():
    LOGGER.warning("%s", PEPPER)

def test_key_that_nobody_planted():
    LOGGER.info("as lb_" + "a1B2" * 10)

def test_presigned_url():
    LOGGER.info("https://b.s3.amazonaws.com/k?X-Amz-Expires=9&X-Amz-Signature=0a")

def test_standard_error():
    plant(BODY)
    print(BODY, file=sys.stderr)

def test_standard_output():
    plant(BODY)
    print({"metric": BODY})
"""


def test_whatever_leaks_fails_its_test(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ROOT)
    pytester.makeconftest("from tests.fixtures.canaries import no_leaks, pytest_runtest_makereport")
    pytester.makepyfile(LEAKY)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    # What the fixture finds is an error after a test that passed, what the streams had is the test's own failure.
    result.assert_outcomes(passed=7, failed=2, errors=6)
    outcomes = result.stdout.str()
    assert "test_harmless" not in outcomes
    assert outcomes.count("what must not be written") >= 2
