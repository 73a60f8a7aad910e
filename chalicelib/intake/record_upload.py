"""Records what was done to uploads, without names and paths."""

from collections.abc import Mapping
from typing import Any

from chalicelib.audit.model import ActivityAction, Outcome, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal
from chalicelib.identity.store import find_principal, find_workspace
from chalicelib.intake.model import Upload


def record_upload(
    tx: Transaction,
    action: ActivityAction,
    upload: Upload,
    *,
    principal: Principal | None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    outcome: Outcome = Outcome.DONE,
) -> None:
    """Record something done to an upload; before its row is deleted, where it is."""
    record(
        tx,
        principal=principal,
        workspace_id=upload.workspace_id,
        action=action,
        subject_kind=SubjectKind.UPLOAD,
        subject_id=upload.id,
        before=before,
        after=after,
        outcome=outcome,
    )


def uploader_of(tx: Transaction, upload: Upload) -> Principal | None:
    """Return who uploaded, as it is now, for a worker that goes on with it; None for a drop and for who is gone."""
    workspace = find_workspace(tx, upload.workspace_id) if upload.created_by else None
    if workspace is None or upload.created_by is None:
        return None
    return find_principal(tx, workspace.organization_id, upload.created_by)
