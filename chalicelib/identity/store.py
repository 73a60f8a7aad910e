"""Reads and writes identity in the database."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any
from uuid import UUID

from psycopg import errors as pg
from psycopg.types.json import Jsonb

from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.errors import EmailTaken, MemberNotFound, SlugTaken
from chalicelib.identity.model import (
    KeyScope,
    Member,
    Organization,
    OrganizationId,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    TeamId,
    Workspace,
    WorkspaceId,
    WorkspaceRole,
)


class Unchanged(Enum):
    """Says that something stays as it is, where None is a value."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED

_LOADED = load_statements(__package__, "identity.sql")
WHOLE_PRINCIPAL = {"whole_principal": _LOADED["whole_principal"]}
_SQL = filled(_LOADED, WHOLE_PRINCIPAL)


def any_organization(tx: Transaction) -> bool:
    """Tell whether the deployment has been set up; nobody else sets it up until the transaction ends."""
    tx.execute(_SQL["lock_founding"])
    return tx.fetch_one(_SQL["any_organization"]) is not None


def insert_organization(tx: Transaction, *, organization_id: UUID, name: str) -> Organization:
    """Add a tenant."""
    return Organization(**_only(tx.fetch_one(_SQL["insert_organization"], id=organization_id, name=name)))


def find_organization(tx: Transaction, organization_id: OrganizationId) -> Organization | None:
    """Read a tenant."""
    row = tx.fetch_one(_SQL["find_organization"], organization_id=organization_id)
    return Organization(**row) if row else None


def rename_organization(tx: Transaction, organization_id: OrganizationId, *, name: str) -> Organization:
    """Give an existing tenant another name."""
    return Organization(**_only(tx.fetch_one(_SQL["rename_organization"], organization_id=organization_id, name=name)))


def insert_workspace(
    tx: Transaction,
    *,
    workspace_id: UUID,
    organization_id: OrganizationId,
    slug: str,
    name: str,
    quotas: dict[str, int],
) -> Workspace:
    """Add a workspace. Raises SlugTaken."""
    try:
        row = tx.fetch_one(
            _SQL["insert_workspace"],
            id=workspace_id,
            organization_id=organization_id,
            slug=slug,
            name=name,
            quotas=Jsonb(quotas),
        )
    except pg.UniqueViolation as error:
        raise SlugTaken(f"The slug {slug!r} is taken; choose another.", slug=slug) from error
    return Workspace(**_only(row))


def update_workspace(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    slug: str | None,
    name: str | None,
    quotas: dict[str, int] | None,
    record_reads: bool | None,
) -> Workspace:
    """Change what is not None of an existing workspace. Raises SlugTaken."""
    try:
        row = tx.fetch_one(
            _SQL["update_workspace"],
            workspace_id=workspace_id,
            slug=slug,
            name=name,
            quotas=None if quotas is None else Jsonb(quotas),
            record_reads=record_reads,
        )
    except pg.UniqueViolation as error:
        raise SlugTaken(f"The slug {slug!r} is taken; choose another.", slug=slug) from error
    return Workspace(**_only(row))


def list_workspaces(tx: Transaction, workspace_ids: Iterable[WorkspaceId]) -> Sequence[Workspace]:
    """Read workspaces by id, in order of their slugs."""
    rows = tx.fetch_all(_SQL["list_workspaces"], workspace_ids=list(workspace_ids))
    return [Workspace(**row) for row in rows]


def find_workspace(tx: Transaction, workspace_id: WorkspaceId) -> Workspace | None:
    """Read a workspace by id."""
    row = tx.fetch_one(_SQL["find_workspace"], workspace_id=workspace_id)
    return Workspace(**row) if row else None


def find_workspace_by_slug(tx: Transaction, slug: str) -> Workspace | None:
    """Read the one workspace of the deployment that bears a slug; None where none or several do."""
    rows = tx.fetch_all(_SQL["find_workspaces_by_slug"], slug=slug)
    return Workspace(**rows[0]) if len(rows) == 1 else None


def insert_principal(
    tx: Transaction,
    *,
    principal_id: UUID,
    organization_id: OrganizationId,
    kind: PrincipalKind,
    name: str,
    email: str | None,
    organization_role: OrganizationRole,
    environment: str | None = None,
) -> None:
    """Add a user, agent or service; the environment is an agent's, and exists. Raises EmailTaken."""
    try:
        tx.execute(
            _SQL["insert_principal"],
            id=principal_id,
            organization_id=organization_id,
            kind=kind,
            name=name,
            email=email,
            organization_role=organization_role,
            environment=environment,
        )
    except pg.UniqueViolation as error:
        raise EmailTaken("Another user has this email address.", email=email) from error


def list_members(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    principal_id: PrincipalId | None = None,
    after: UUID | None = None,
    limit: int = 100,
) -> Sequence[Member]:
    """Read the principals of an organization, in order of their ids."""
    rows = tx.fetch_all(
        _SQL["list_members"], organization_id=organization_id, principal_id=principal_id, after=after, limit=limit
    )
    return [_member(row) for row in rows]


def lock_admins(tx: Transaction, organization_id: OrganizationId) -> frozenset[PrincipalId]:
    """Lock and return the living admins."""
    rows = tx.fetch_all(_SQL["lock_admins"], organization_id=organization_id)
    return frozenset(PrincipalId(row["id"]) for row in rows)


def update_principal(
    tx: Transaction,
    organization_id: OrganizationId,
    principal_id: PrincipalId,
    *,
    name: str | None,
    organization_role: OrganizationRole | None,
    disabled: bool | None,
    environment: str | Unchanged | None,
) -> None:
    """Change what is not None, and the environment where it is told. Raises MemberNotFound."""
    touched = tx.execute(
        _SQL["update_principal"],
        organization_id=organization_id,
        principal_id=principal_id,
        name=name,
        organization_role=organization_role,
        disabled=disabled,
        is_moved=environment is not UNCHANGED,
        environment=None if environment is UNCHANGED else environment,
    )
    if not touched:
        raise MemberNotFound("There is no such member.")


def delete_principal(tx: Transaction, organization_id: OrganizationId, principal_id: PrincipalId) -> bool:
    """Remove a principal with what is its own; False where there is none."""
    return bool(tx.execute(_SQL["delete_principal"], organization_id=organization_id, principal_id=principal_id))


def put_membership(
    tx: Transaction,
    *,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId,
    principal_id: PrincipalId,
    role: WorkspaceRole,
) -> None:
    """Give a principal of the same organization a role in a workspace. Raises MemberNotFound."""
    try:
        with tx.savepoint():
            tx.execute(
                _SQL["put_membership"],
                organization_id=organization_id,
                workspace_id=workspace_id,
                principal_id=principal_id,
                role=role,
            )
    except pg.ForeignKeyViolation as error:
        raise MemberNotFound("There is no such member.") from error


def delete_membership(
    tx: Transaction, *, organization_id: OrganizationId, workspace_id: WorkspaceId, principal_id: PrincipalId
) -> bool:
    """Take a role away; False where there was none."""
    return bool(
        tx.execute(
            _SQL["delete_membership"],
            organization_id=organization_id,
            workspace_id=workspace_id,
            principal_id=principal_id,
        )
    )


def find_principal(tx: Transaction, organization_id: OrganizationId, principal_id: PrincipalId) -> Principal | None:
    """Read a living principal with all that it is, as with a key of every scope for every workspace."""
    row = tx.fetch_one(_SQL["find_principal"], organization_id=organization_id, principal_id=principal_id)
    return principal_of(row) if row else None


def principal_of(row: Row) -> Principal:
    """Turn the columns of <whole_principal> into the principal, with every scope."""
    return Principal(
        id=PrincipalId(row["id"]),
        organization_id=OrganizationId(row["organization_id"]),
        kind=PrincipalKind(row["kind"]),
        name=row["name"],
        organization_role=OrganizationRole(row["organization_role"]),
        roles_by_workspace=parse_roles(row["roles"]),
        scopes=frozenset(KeyScope),
        team_ids=frozenset(TeamId(team_id) for team_id in row["team_ids"]),
        environment=row["environment"],
    )


def parse_roles(roles: dict[str, str]) -> dict[WorkspaceId, WorkspaceRole]:
    """Turn a JSON object of roles into types."""
    return {WorkspaceId(UUID(key)): WorkspaceRole(role) for key, role in roles.items()}


def _only(row: Row | None) -> dict[str, Any]:
    if row is None:
        raise LookupError("a statement that returns its row returned none")
    return dict(row)


def _member(row: Row) -> Member:
    values = dict(row)
    return Member(
        roles_by_workspace=parse_roles(values.pop("roles")),
        kind=PrincipalKind(values.pop("kind")),
        organization_role=OrganizationRole(values.pop("organization_role")),
        **values,
    )
