"""What tests of the API may ask for."""

from tests.fixtures.api import api, application, logged, whole_api
from tests.fixtures.local_server import server

__all__ = ["api", "application", "logged", "server", "whole_api"]
