"""What tests of the API may ask for."""

from tests.fixtures.api import api, application
from tests.fixtures.local_server import server

__all__ = ["api", "application", "server"]
