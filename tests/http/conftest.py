"""What tests of the API may ask for."""

from tests.fixtures.api import api, application

__all__ = ["api", "application"]
