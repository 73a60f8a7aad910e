"""Tells which roles somebody has in which workspaces."""

from collections.abc import Mapping

from chalicelib.cli.session import Session


def told_roles(session: Session, roles_by_workspace: Mapping[str, str]) -> str:
    """Return roles for people, like `main: viewer`; a workspace that the caller does not reach goes by its id."""
    slugs = {workspace["id"]: workspace["slug"] for workspace in session.me["workspaces"]}
    told = sorted(f"{slugs.get(workspace, workspace)}: {role}" for workspace, role in roles_by_workspace.items())
    return ", ".join(told)
