"""What tests of the AWS adapters may ask for."""

from tests.fixtures.unreliable_sqs import sqs_doorbell, unreliable

__all__ = ["sqs_doorbell", "unreliable"]
