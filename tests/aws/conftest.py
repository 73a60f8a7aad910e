"""What tests of the journeys on AWS may ask for."""

from tests.fixtures.journey import journey

__all__ = ["journey"]
