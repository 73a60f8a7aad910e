"""What tests of the cases may ask for."""

from tests.fixtures.journey import journey
from tests.fixtures.unreliable_sqs import sqs_doorbell, unreliable

__all__ = ["journey", "sqs_doorbell", "unreliable"]
