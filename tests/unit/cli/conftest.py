"""What tests of the command may ask for."""

from tests.fixtures.served import command_line, served

__all__ = ["command_line", "served"]
