"""What tests of the API may ask for."""

from tests.fixtures.api import api, application, logged, whole_api
from tests.fixtures.canaries import no_leaks, pytest_runtest_makereport
from tests.fixtures.local_server import server

__all__ = ["api", "application", "logged", "no_leaks", "pytest_runtest_makereport", "server", "whole_api"]
