"""What tests of sharing may ask for."""

from tests.fixtures.shared_workspaces import shared

__all__ = ["shared"]
