"""Writes docs/aws-permissions.md from the tables of permissions."""

from collections.abc import Sequence
from pathlib import Path

from infra.model_access import ASKERS, MODEL_PERMISSIONS
from infra.permissions import EVERY_FUNCTION, EVERY_WORKER, MIGRATIONS, OUTSIDE, PERMISSIONS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "aws-permissions.md"


def permissions_page() -> str:
    """Return docs/aws-permissions.md."""
    lines = [
        "# Who may do what on AWS",
        "",
        "Made from `infra/permissions.py` by `python -m infra.permissions_page`; the roles of a stage are made from",
        "the same table, and a test holds all three together. No statement names `*` for an action, and two name it",
        "for a resource, since AWS allows nothing else there.",
    ]
    sections = {
        "Every function but those outside the network": EVERY_FUNCTION,
        "Every worker": EVERY_WORKER,
        **{f"Function `{principal}`": permissions for principal, permissions in PERMISSIONS.items()},
        "Function `migrations`": MIGRATIONS,
        "Functions `embedder` and `issuers`, outside the network": OUTSIDE,
    }
    for title, permissions in sections.items():
        lines += ["", f"## {title}", "", "| Actions | Resources | Why |", "| --- | --- | --- |"]
        lines += [
            f"| {_listed(permission.actions)} | {_listed(permission.resources)} | It {permission.why}. |"
            for permission in permissions
        ]
    lines += ["", f"## Functions {_joined(ASKERS)}, where models of providers are chosen", ""]
    lines += ["| Actions | Resources | Why |", "| --- | --- | --- |"]
    lines += [f"| {_listed(each.actions)} | `{each.resources}` | It {each.why}. |" for each in MODEL_PERMISSIONS]
    return "\n".join(lines) + "\n"


def _joined(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    PAGE.write_text(permissions_page(), "utf-8")
