"""The queue of the original store's events: tells intake what has arrived."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from chalicelib.database.database import Database
from chalicelib.errors import LorebaseError, Unavailable
from chalicelib.identity.model import WorkspaceId
from chalicelib.intake.complete_upload import complete_stored_upload
from chalicelib.intake.receive_drop import DroppedObject, receive_drop, refuse_drop
from chalicelib.intake.reception import IntakeRules
from chalicelib.items.model import UploadId
from chalicelib.platform.ports import Clock
from chalicelib.telemetry.metric_names import Metric
from chalicelib.telemetry.metrics import Metrics
from chalicelib.triggers.object_events import ObjectCreated, read_object_events
from chalicelib.triggers.records import answer_records

_LOGGER = logging.getLogger(__name__)


class EventNotTaken(Unavailable):
    """The event of the original could not be taken for the moment."""


@dataclass(frozen=True, slots=True)
class Reception:
    """What it takes to note arrivals."""

    database: Database
    rules: IntakeRules
    clock: Clock
    metrics: Metrics = field(default_factory=Metrics)


def receive_originals(event: Mapping[str, Any], *, reception: Reception) -> Mapping[str, Any]:
    """Note what the S3 events in an SQS event tell of; return the partial batch response.

    Any number of deliveries, in any order, come to the same. What is nobody's (an unknown workspace or
    prefix, a folder marker, a hostile path) is logged and acknowledged, so that it never comes round again.
    """
    return answer_records(event, lambda record: _receive_record(record, reception))


def receive_or_raise(event: Mapping[str, Any], *, reception: Reception) -> None:
    """Do the same for who can tell the event again: raises EventNotTaken where a record failed."""
    if receive_originals(event, reception=reception)["batchItemFailures"]:
        raise EventNotTaken("The bytes are stored, but could not be noted. Send them again in a moment.")


def _receive_record(record: Mapping[str, Any], reception: Reception) -> bool:
    for created in read_object_events(record["body"]):
        try:
            _receive(created, reception)
        except Unavailable:
            raise
        except LorebaseError as error:
            _LOGGER.warning("The object %r is refused (%s): %s", created.key, error.problem_type(), error.detail)
    return True


def _receive(created: ObjectCreated, reception: Reception) -> None:
    """Open the transaction for one new object, by the prefix of its key."""
    match created.key.split("/", 2):
        case [_, *_] if created.key.endswith("/"):
            _LOGGER.debug("The folder marker %r is ignored.", created.key)
        case ["drop", workspace, path]:
            dropped = DroppedObject(workspace, path, created.key, created.size, created.sequencer)
            _receive_drop(dropped, reception)
        case ["staging", workspace, upload]:
            _complete(created.key, workspace, upload, reception)
        case ["originals", *_]:
            pass  # Our own copy of what was received.
        case _:
            _LOGGER.warning("Nothing is made of the object %r: its prefix is unknown.", created.key)


def _receive_drop(dropped: DroppedObject, reception: Reception) -> None:
    metric = Metric.UPLOADS_ACCEPTED
    try:
        with reception.database.transaction() as tx:
            upload = receive_drop(tx, dropped, rules=reception.rules, now=reception.clock.now())
    except Unavailable:
        raise
    except LorebaseError as error:
        with reception.database.transaction() as tx:
            upload = refuse_drop(tx, dropped, error, now=reception.clock.now())
        metric = Metric.FILES_REFUSED
    if upload is not None:
        reception.metrics.write({metric: 1})


def _complete(key: str, workspace: str, upload: str, reception: Reception) -> None:
    try:
        workspace_id, upload_id = WorkspaceId(UUID(workspace)), UploadId(UUID(upload))
    except ValueError:
        _LOGGER.warning("Nothing is made of the object %r: it names no upload.", key)
        return
    with reception.database.transaction() as tx:
        found = complete_stored_upload(
            tx, workspace_id=workspace_id, upload_id=upload_id, rules=reception.rules, now=reception.clock.now()
        )
    if found is None:
        _LOGGER.warning("The upload of %r is gone.", key)
    if found is None or found.sha256 is not None:
        # Bytes sent after the upload was deleted or taken in: a signed URL outlives both.
        reception.rules.originals.delete(key)
