"""What tests of sharing may ask for."""

from tests.fixtures.crowd import crowd
from tests.fixtures.shared_workspaces import shared

__all__ = ["crowd", "shared"]
