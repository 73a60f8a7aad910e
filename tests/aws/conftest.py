"""What tests of the journeys on AWS may ask for."""

from tests.fixtures.journey import journey
from tests.fixtures.lambda_runtime import lambda_function

__all__ = ["journey", "lambda_function"]
