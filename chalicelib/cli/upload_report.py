"""What an upload did, file by file, as it is reported at the end."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """What became of a file. Refused: it is not taken as it is; failed: something went wrong on the way."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass
class UploadReport:
    """The files by outcome. Each entry has `path` and, as far as they are known, `item_id`, `revision` and more."""

    entries: dict[Outcome, list[dict[str, Any]]] = field(default_factory=lambda: {outcome: [] for outcome in Outcome})
    left_out: list[dict[str, str]] = field(default_factory=list)
    stayed: dict[str, str] = field(default_factory=dict)
    """Where the item of a renamed file stays, by the file's path: moving it would have let others read it."""

    def note(self, outcome: Outcome, path: str, **members: object) -> None:
        """Add a file; a member that is None is left away."""
        given = {name: value for name, value in members.items() if value is not None}
        if path in self.stayed:
            stays = f"The item at {self.stayed[path]} stays there: only owners move it to where others can read it."
            given["note"] = " ".join([stays, *([str(given["note"])] if "note" in given else [])])
        self.entries[outcome].append({"path": path, **given})

    @property
    def counts(self) -> Mapping[str, int]:
        """How many files had each outcome."""
        return {str(outcome): len(entries) for outcome, entries in self.entries.items()}

    @property
    def waits(self) -> Mapping[str, int]:
        """How many files wait for their vectors, by what for."""
        return Counter(
            str(entry["waits"]) for entries in self.entries.values() for entry in entries if "waits" in entry
        )

    @property
    def is_complete(self) -> bool:
        """Whether nothing was refused and nothing failed."""
        return not self.entries[Outcome.REFUSED] and not self.entries[Outcome.FAILED]

    def document(self) -> dict[str, Any]:
        """Return the report as the JSON document that scripts read: counts, then lists."""
        lists = {
            str(outcome): sorted(entries, key=lambda entry: str(entry["path"]))
            for outcome, entries in self.entries.items()
        }
        return {**self.counts, "items": lists, "left_out": self.left_out}
