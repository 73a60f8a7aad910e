"""Reads and writes which spaces organizations have."""

from collections.abc import Sequence

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.embedding_spaces.model import Choice
from chalicelib.identity.model import OrganizationId, WorkspaceId

_SQL = load_statements(__package__, "choices.sql")


def find_choice(tx: Transaction, organization_id: OrganizationId) -> Choice:
    """Read which spaces an organization has; none where it has no vectors."""
    return _choice_of(tx.fetch_one(_SQL["find_choice"], organization_id=organization_id))


def find_choice_of_workspace(tx: Transaction, workspace_id: WorkspaceId) -> tuple[OrganizationId, Choice] | None:
    """Read which spaces a workspace's organization has; None where there is no such workspace."""
    row = tx.fetch_one(_SQL["find_choice_of_workspace"], workspace_id=workspace_id)
    return None if row is None else (OrganizationId(row["organization_id"]), _choice_of(row))


def share_choice(tx: Transaction, workspace_id: WorkspaceId) -> Choice:
    """Read which spaces a workspace's organization has, and keep them so until the transaction ends."""
    return _choice_of(tx.fetch_one(_SQL["share_choice"], workspace_id=workspace_id))


def lock_choice(tx: Transaction, organization_id: OrganizationId) -> Choice:
    """Read which spaces an organization has; nobody writes vectors by them until the transaction ends."""
    return _choice_of(tx.fetch_one(_SQL["lock_choice"], organization_id=organization_id))


def adopt_space(tx: Transaction, organization_id: OrganizationId, *, space: str | None) -> bool:
    """Give an organization without an active space this one; tell whether anything was written."""
    return tx.fetch_one(_SQL["adopt_space"], organization_id=organization_id, space=space) is not None


def put_choice(tx: Transaction, organization_id: OrganizationId, choice: Choice) -> None:
    """Write which spaces an organization, whose choice is locked, has."""
    tx.execute(
        _SQL["put_choice"],
        organization_id=organization_id,
        active=choice.active,
        filling=choice.filling,
        former=choice.former,
        filling_since=choice.filling_since,
    )


def list_workspaces(tx: Transaction, organization_id: OrganizationId, *, space: str) -> Sequence[WorkspaceId]:
    """Read the workspaces of an organization that have chunks, or had some when the space was to be filled."""
    rows = tx.fetch_all(_SQL["list_workspaces"], organization_id=organization_id, space=space)
    return [WorkspaceId(row["id"]) for row in rows]


def list_active(tx: Transaction) -> Sequence[str]:
    """Read the spaces that organizations are searched in."""
    return [row["active_space"] for row in tx.fetch_all(_SQL["list_active"])]


def list_undecided(tx: Transaction, *, limit: int) -> Sequence[OrganizationId]:
    """Find organizations that have chunks and no active space."""
    rows = tx.fetch_all(_SQL["list_undecided"], limit=limit)
    return [OrganizationId(row["organization_id"]) for row in rows]


def list_waiting(tx: Transaction, *, spaces: Sequence[str], limit: int) -> Sequence[tuple[WorkspaceId, str]]:
    """Find workspaces with items that no job brings their vectors to, with their active space, one of these."""
    rows = tx.fetch_all(_SQL["list_waiting"], spaces=list(spaces), limit=limit)
    return [(WorkspaceId(row["workspace_id"]), row["active_space"]) for row in rows]


def estimate_fill(tx: Transaction, organization_id: OrganizationId, *, space: str) -> Row:
    """Count chunks and tokens, and the chunks and seconds that fills of the space have taken so far."""
    row = tx.fetch_one(_SQL["estimate_fill"], organization_id=organization_id, space=space)
    if row is None:
        raise LookupError("counting gave nothing")
    return row


def _choice_of(row: Row | None) -> Choice:
    if row is None:
        return Choice()
    return Choice(row["active_space"], row["filling_space"], row["former_space"], row["filling_since"])
