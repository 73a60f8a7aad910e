"""Reads and writes folders, access settings and grants in the database."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from chalicelib.access.model import AccessSettings, FolderId, GrantAction, GrantId
from chalicelib.database.ids import new_id
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import OrganizationId, PrincipalId, TeamId, WorkspaceId
from chalicelib.sharing.model import Folder, Grant, Subject

_SQL = load_statements(__package__, "sharing.sql")


def insert_folder(tx: Transaction, workspace_id: WorkspaceId, path: str, *, principal_id: PrincipalId) -> Folder | None:
    """Add a folder; None where there is one at the path."""
    row = tx.fetch_one(
        _SQL["insert_folder"], id=new_id(), workspace_id=workspace_id, path=path, principal_id=principal_id
    )
    return Folder(**row) if row else None


def find_folder(tx: Transaction, workspace_id: WorkspaceId, folder_id: FolderId) -> Folder | None:
    """Read a folder by id."""
    row = tx.fetch_one(_SQL["find_folder"], workspace_id=workspace_id, folder_id=folder_id)
    return Folder(**row) if row else None


def find_folder_at(tx: Transaction, workspace_id: WorkspaceId, path: str) -> Folder | None:
    """Read a folder by its path."""
    row = tx.fetch_one(_SQL["find_folder_at"], workspace_id=workspace_id, path=path)
    return Folder(**row) if row else None


def list_folders(tx: Transaction, workspace_id: WorkspaceId, *, after: str | None, limit: int) -> Sequence[Folder]:
    """Read folders in order of their paths, from behind `after`."""
    rows = tx.fetch_all(_SQL["list_folders"], workspace_id=workspace_id, after=after, limit=limit)
    return [Folder(**row) for row in rows]


def delete_folder(tx: Transaction, workspace_id: WorkspaceId, folder_id: FolderId) -> None:
    """Forget what is said about a folder."""
    tx.execute(_SQL["delete_folder"], workspace_id=workspace_id, folder_id=folder_id)


def put_settings(tx: Transaction, subject: Subject, settings: AccessSettings, *, principal_id: PrincipalId) -> None:
    """Say something about a subject, or nothing any more where that is what the settings say."""
    if settings == AccessSettings():
        tx.execute(_SQL["delete_settings"], workspace_id=subject.workspace_id, subject_id=subject.id)
        return
    tx.execute(
        _SQL["put_settings"],
        subject_id=subject.id,
        workspace_id=subject.workspace_id,
        folder_id=subject.folder_id,
        item_id=subject.item_id,
        audience_kind=settings.audience_kind,
        audience=None if settings.audience is None else sorted(settings.audience),
        inherits=settings.inherits,
        is_restricted=settings.is_restricted,
        environment=settings.environment,
        principal_id=principal_id,
    )


def list_tokens(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    team_ids: Collection[TeamId] = (),
    member_ids: Collection[PrincipalId] = (),
) -> Mapping[UUID, str]:
    """Read the access tokens of those teams and members that the organization has."""
    rows = tx.fetch_all(
        _SQL["list_tokens"], organization_id=organization_id, team_ids=list(team_ids), member_ids=list(member_ids)
    )
    return {row["id"]: row["token"] for row in rows}


def has_environment(tx: Transaction, organization_id: OrganizationId, slug: str) -> bool:
    """Tell whether the organization has an environment."""
    return tx.fetch_one(_SQL["find_environment"], organization_id=organization_id, slug=slug) is not None


def put_grant(
    tx: Transaction,
    subject: Subject,
    *,
    action: GrantAction,
    member_id: PrincipalId | None,
    team_id: TeamId | None,
    granted_by: PrincipalId,
) -> Grant:
    """Give one member or team an action on a subject."""
    row = tx.fetch_one(
        _SQL["put_grant"],
        id=new_id(),
        workspace_id=subject.workspace_id,
        folder_id=subject.folder_id,
        item_id=subject.item_id,
        member_id=member_id,
        team_id=team_id,
        action=action,
        granted_by=granted_by,
    )
    if row is None:
        raise LookupError("a statement that returns its row returned none")
    return _grant(row)


def delete_grant(tx: Transaction, subject: Subject, grant_id: GrantId) -> Grant | None:
    """Take a grant away; None where the subject has no such grant."""
    row = tx.fetch_one(
        _SQL["delete_grant"], workspace_id=subject.workspace_id, subject_id=subject.id, grant_id=grant_id
    )
    return _grant(row) if row else None


def delete_grants(tx: Transaction, subject: Subject) -> int:
    """Take all grants on a subject away; return how many there were."""
    return tx.execute(_SQL["delete_grants"], workspace_id=subject.workspace_id, subject_id=subject.id)


def find_grant(tx: Transaction, subject: Subject, grant_id: GrantId) -> Grant | None:
    """Read one grant on a subject."""
    row = tx.fetch_one(_SQL["find_grant"], workspace_id=subject.workspace_id, subject_id=subject.id, grant_id=grant_id)
    return _grant(row) if row else None


def list_grants(tx: Transaction, subject: Subject, *, after: UUID | None, limit: int) -> Sequence[Grant]:
    """Read the grants on a subject in order of their ids, from behind `after`."""
    rows = tx.fetch_all(
        _SQL["list_grants"], workspace_id=subject.workspace_id, subject_id=subject.id, after=after, limit=limit
    )
    return [_grant(row) for row in rows]


def _grant(row: Row) -> Grant:
    return Grant(
        id=GrantId(row["id"]),
        action=GrantAction(row["action"]),
        member_id=row["principal_id"],
        team_id=row["team_id"],
        granted_by=row["granted_by"],
        granted_at=row["granted_at"],
    )
