"""What tests of the cases may ask for."""

from tests.fixtures.api import api, application, logged, whole_api
from tests.fixtures.journey import journey
from tests.fixtures.local_server import server
from tests.fixtures.unreliable_sqs import sqs_doorbell, unreliable

__all__ = [
    "api",
    "application",
    "journey",
    "logged",
    "server",
    "sqs_doorbell",
    "unreliable",
    "whole_api",
]
