"""The end of a process that has done all it had to, whatever its threads are at."""

import logging
import os
import sys
import threading


def end_past_threads(code: int) -> None:
    """End the process with `code` if threads are left, without waiting for them; return if none is.

    A thread that computes in native code when the interpreter goes is ended from within, which C++ answers by
    aborting the process (docs.python.org/3/c-api/init.html: threads of a finalizing interpreter).
    """
    if threading.active_count() == 1:
        return
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
