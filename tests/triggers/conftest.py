"""What tests of the triggers are watched by."""

from tests.fixtures.canaries import no_leaks, pytest_runtest_makereport

__all__ = ["no_leaks", "pytest_runtest_makereport"]
