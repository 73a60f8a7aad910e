"""Compiles what a package holds, so that a cold start does not."""

import os
import subprocess
import warnings
from pathlib import Path

from infra.packaging.target import Target

_ON_LAMBDA = "/var/task"


class NoBytecode(UserWarning):
    """The package holds sources alone."""


def compile_folder(folder: Path, target: Target) -> bool:
    """Put bytecode beside every module of a folder, and tell whether that could be done.

    The bytecode is taken as it is, without a look at its source: a package has no dates that could be trusted, and
    nobody changes what lies in it (docs.python.org/3/library/py_compile.html#py_compile.PycInvalidationMode).
    """
    interpreter = target.interpreter()
    if interpreter is None:
        warnings.warn(
            f"There is no Python {target.version} here to compile for: cold starts will take about twice as long. "
            f"Deploy with Python {target.version}.",
            NoBytecode,
            stacklevel=2,
        )
        return False
    subprocess.run(  # noqa: S603 - a program and arguments of our own
        [
            interpreter,
            *("-m", "compileall", "-q", "-j", "1", "--invalidation-mode", "unchecked-hash"),
            *("-s", str(folder), "-p", _ON_LAMBDA, str(folder)),
        ],
        check=True,
        # Sets of constants are marshalled in the order of their hashes.
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    return True
