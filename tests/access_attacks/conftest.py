"""What tests of attacks on access may ask for."""

import pytest

from tests.access_attacks.besieged import Besieged
from tests.fixtures.api import Api, whole_api
from tests.fixtures.canaries import no_leaks, pytest_runtest_makereport
from tests.fixtures.lorebases import Lorebase

__all__ = ["no_leaks", "pytest_runtest_makereport", "whole_api"]


@pytest.fixture
def besieged(whole_api: Api, lorebase: Lorebase) -> Besieged:
    """A workspace that members try to get more out of than they may."""
    return Besieged(whole_api, lorebase)
