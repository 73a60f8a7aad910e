"""Remembers across restarts which states of dropped files were taken, so that none is read again."""

import json
import os
from pathlib import Path

from chalicelib.platform.local.durable_files import make_private_folder, write_private_file


class DropRecord:
    """A file of one line a taken state; the last line of a path counts. Used by one thread.

    Losing it, or its last lines in a power cut, costs work and changes nothing: intake knows what it has.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        make_private_folder(file.parent)
        self._sequencers_by_path = _load(file)
        write_private_file(file, (_line(*taken) for taken in self._sequencers_by_path.items()))

    def find(self, path: str) -> str | None:
        """Return the sequencer of the state that was taken last, or None."""
        return self._sequencers_by_path.get(path)

    def keep(self, path: str, sequencer: str) -> None:
        """Remember that this state was taken."""
        self._sequencers_by_path[path] = sequencer
        with os.fdopen(os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:
            file.write(_line(path, sequencer))


def _line(path: str, sequencer: str) -> bytes:
    return json.dumps([path, sequencer]).encode() + b"\n"


def _load(file: Path) -> dict[str, str]:
    sequencers_by_path: dict[str, str] = {}
    if file.exists():
        for line in file.read_bytes().splitlines():
            try:
                path, sequencer = json.loads(line)
            except ValueError:
                continue  # A line that a killed process left half-written.
            sequencers_by_path[path] = sequencer
    return sequencers_by_path
