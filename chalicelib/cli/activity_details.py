"""Says in a few words what an entry of the activity changed, or what was refused."""

from collections.abc import Iterator
from typing import Any

from chalicelib.cli.client import Json
from chalicelib.cli.named import Named

_LONGEST = 160
_TOLD_BY_NAME = frozenset({"member_id", "team_id", "grant_id"})


def detail_of(entry: Json, named: Named) -> str:
    """Return who it was about and what was changed, as `name: before → after`; of a refusal, the route and why."""
    before, after = entry["before"] or {}, entry["after"] or {}
    if entry["outcome"] == "refused":
        return " ".join(str(value) for value in after.values())
    told = ", ".join([*_whom(entry["subject"], {**before, **after}, named), *_changes(before, after, named)])
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"


def _whom(subject: Json, said: Json, named: Named) -> Iterator[str]:
    ids = {"member": said.get("member_id"), "team": said.get("team_id")}
    if subject["kind"] in ids:
        ids[subject["kind"]] = subject["id"]
    if ids["team"]:
        yield named.name_of(ids["team"], None)
    if ids["member"]:
        yield named.name_of(None, ids["member"])


def _changes(before: Json, after: Json, named: Named) -> Iterator[str]:
    for name in dict.fromkeys([*before, *after]):
        old, new = _told(before.get(name), named), _told(after.get(name), named)
        if name in _TOLD_BY_NAME or old == new:
            continue
        yield f"{name}: {old} → {new}" if before and after else f"{name}: {new if after else old}"


def _told(value: Any, named: Named) -> str:  # noqa: ANN401  whatever JSON holds
    if value in (None, [], ""):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(_told(each, named) for each in value)
    kind, _, principal_id = str(value).partition(":")
    if kind == "team":
        return named.name_of(principal_id, None)
    return named.name_of(None, principal_id) if kind in {"user", "agent", "service"} else str(value)
