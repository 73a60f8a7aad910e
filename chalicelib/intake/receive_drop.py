"""Takes an object that was dropped into the store: `drop/<workspace>/<path>` becomes the item at that path."""

from dataclasses import dataclass
from datetime import datetime

from chalicelib.access.model import Audience, AudienceId
from chalicelib.access.store import put_audience, share_places
from chalicelib.access.tokens import owner_token
from chalicelib.access.writing import audience_at
from chalicelib.audit.model import ActivityAction, Outcome
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.errors import LorebaseError
from chalicelib.identity.manage_workspaces import resolve_workspace
from chalicelib.identity.model import WorkspaceId
from chalicelib.intake import store
from chalicelib.intake.attributes import checked_request
from chalicelib.intake.model import Upload, UploadRequest, UploadSource, UploadState, problem_of
from chalicelib.intake.reception import IntakeRules, enqueue_extraction
from chalicelib.intake.record_upload import record_upload
from chalicelib.intake.store import Ending
from chalicelib.items import usage_store
from chalicelib.items.errors import InvalidPath
from chalicelib.items.hygiene import clean_line
from chalicelib.items.model import UploadId
from chalicelib.items.paths import PATH_CHARACTERS, checked_path, name_of
from chalicelib.items.quotas import charge


@dataclass(frozen=True, slots=True)
class DroppedObject:
    """What the store says of a dropped object.

    `sequencer` orders the events of one key: as text, a greater one is later.
    """

    workspace: str
    path: str
    key: str
    size: int
    sequencer: str


def receive_drop(tx: Transaction, dropped: DroppedObject, *, rules: IntakeRules, now: datetime) -> Upload | None:
    """Note the drop and promise its extraction; None for an event that was seen before or is out of date.

    The bytes are read when the job runs, so a late event for replaced bytes has nothing to add.
    Raises WorkspaceNotFound, InvalidPath, InvalidItem, QuotaExceeded.
    """
    workspace = resolve_workspace(tx, dropped.workspace)
    request = checked_request(
        UploadRequest(path=dropped.path, filename=name_of(dropped.path), attributes={}, bytes=dropped.size)
    )
    newest = store.newest_drop_event(tx, workspace.id, source_key=dropped.key)
    if newest is not None and dropped.sequencer <= newest:
        return None
    upload = store.insert_upload(
        tx,
        workspace.id,
        upload_id=UploadId(new_id()),
        request=request,
        source=UploadSource.DROP,
        source_key=dropped.key,
        audience_id=audience_at(tx, workspace.id, request.path),
        principal_id=None,
        now=now,
        received=True,
        event_sequencer=dropped.sequencer,
    )
    if upload is None:
        return None
    enqueue_extraction(tx, upload, rules=rules)
    charge(tx, workspace.id, rules.items.quotas, uploads=1)
    record_upload(tx, ActivityAction.UPLOAD_DROPPED, upload, principal=None, after={"bytes": dropped.size})
    return upload


def refuse_drop(tx: Transaction, dropped: DroppedObject, error: LorebaseError, *, now: datetime) -> Upload | None:
    """Show a drop that receive_drop refused as a failed upload, once an event, where its people look.

    The quota of uploads does not hold it back, since this is also how a full workspace learns of it.
    Raises WorkspaceNotFound: then nobody's list is the right one.
    """
    workspace = resolve_workspace(tx, dropped.workspace)
    path = clean_line(dropped.path)[:PATH_CHARACTERS] or "(unnamed)"
    upload = store.insert_upload(
        tx,
        workspace.id,
        upload_id=UploadId(new_id()),
        request=UploadRequest(path=path, filename=name_of(path), attributes={}, bytes=dropped.size),
        source=UploadSource.DROP,
        source_key=clean_line(dropped.key),
        audience_id=_audience_of_refused(tx, workspace.id, path),
        principal_id=None,
        now=now,
        received=True,
        event_sequencer=dropped.sequencer,
    )
    if upload is None:
        return None
    store.finish_upload(tx, upload, Ending(state=UploadState.FAILED, reason=problem_of(error)), now=now)
    usage_store.add_usage(tx, workspace.id, {"uploads": 1})
    record_upload(
        tx,
        ActivityAction.UPLOAD_DROPPED,
        upload,
        principal=None,
        after={"bytes": dropped.size, "reason": error.problem_type()},
        outcome=Outcome.REFUSED,
    )
    return upload


def _audience_of_refused(tx: Transaction, workspace_id: WorkspaceId, path: str) -> AudienceId:
    """Return who sees a refused drop: owners alone where its path is none and names no folder."""
    try:
        is_path = checked_path(path) == path
    except InvalidPath:
        is_path = False
    if is_path:
        return audience_at(tx, workspace_id, path)
    share_places(tx, workspace_id)
    return put_audience(tx, workspace_id, Audience((frozenset({owner_token(workspace_id)}),)))
