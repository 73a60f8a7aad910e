"""What tests of knowledge bases may ask for."""

from tests.fixtures.crowd import crowd

__all__ = ["crowd"]
