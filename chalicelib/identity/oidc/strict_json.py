"""Reads JSON that others signed or serve: what two readers could take for two things is refused."""

import json
from collections.abc import Sequence
from typing import Any


def parse_object(text: bytes) -> dict[str, Any]:
    """Return the object. Raises ValueError for a name that is there twice, for NaN, and for what is no object."""
    try:
        parsed = json.loads(text.decode("utf-8"), object_pairs_hook=_without_repeats, parse_constant=_refused)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(parsed, dict):
        raise ValueError("no object")  # noqa: TRY004 - callers know one error
    return parsed


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
