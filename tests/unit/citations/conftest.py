"""What tests of citations may ask for."""

from tests.fixtures.crowd import crowd

__all__ = ["crowd"]
