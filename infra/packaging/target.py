"""What a package is built for: a version of Python on a processor."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# Amazon Linux 2023, on which Python 3.12 and later run, has glibc 2.34
# (docs.aws.amazon.com/linux/al2023/ug/glibc-gcc-and-binutils.html); pip tries the tags in this order.
_LIBC_TAGS = ("manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014")
_MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}


@dataclass(frozen=True, slots=True)
class Target:
    """`platforms` are tags of wheels, the best first; none means the platform that builds."""

    python: tuple[int, int]
    platforms: Sequence[str] = ()

    @classmethod
    def of_lambda(cls, architecture: Literal["arm64", "x86_64"], *, python: tuple[int, int]) -> "Target":
        """Return AWS Lambda's runtime of a version of Python."""
        machine = _MACHINES[architecture]
        return cls(python, tuple(f"{tag}_{machine}" for tag in _LIBC_TAGS))

    @classmethod
    def of_host(cls) -> "Target":
        """Return what this process runs on, for tests that run the package."""
        return cls((sys.version_info.major, sys.version_info.minor))

    @property
    def version(self) -> str:
        """The version of Python, as in 3.13."""
        return f"{self.python[0]}.{self.python[1]}"

    def interpreter(self) -> str | None:
        """Return a program of the target's version of Python that runs here, or None.

        Bytecode is of one version of Python and of any platform.
        """
        if sys.version_info[:2] == self.python:
            return sys.executable
        found = shutil.which(f"python{self.version}")
        if found is None:
            return None
        # pyenv has programs that only say which version would be needed.
        answer = subprocess.run([found, "-c", "pass"], check=False, capture_output=True)  # noqa: S603 - of our own
        return found if answer.returncode == 0 else None
