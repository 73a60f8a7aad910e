"""What tests of the journeys on AWS may ask for."""

from tests.fixtures.canaries import no_leaks, pytest_runtest_makereport
from tests.fixtures.journey import journey
from tests.fixtures.lambda_runtime import lambda_function
from tests.fixtures.prepared import stage

__all__ = ["journey", "lambda_function", "no_leaks", "pytest_runtest_makereport", "stage"]
