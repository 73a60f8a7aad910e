"""Has a workspace's documents described by a language model, or no longer."""

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.index import contexts_store
from chalicelib.index.contexts import promise_spreading
from chalicelib.index.errors import NoLanguageModel
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.ports import LanguageModel


def switch_contexts(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    is_on: bool,
    model: LanguageModel | None,
    jobs: JobQueue,
) -> None:
    """Switch descriptions on or off, and promise that the items follow. Raises NoLanguageModel.

    Switched on where it is on already, it asks again about what could not be described.
    """
    authorize(principal, workspace_id, Action.MANAGE)
    if is_on and model is None:
        raise NoLanguageModel("No language model is configured here; set one up, then switch contexts on.")
    was_on = contexts_store.find_setting(tx, workspace_id) is not None
    if is_on != was_on:
        contexts_store.put_setting(tx, workspace_id, is_on=is_on, principal_id=principal.id)
        record(
            tx,
            principal=principal,
            workspace_id=workspace_id,
            action=ActivityAction.WORKSPACE_CHANGED,
            subject_kind=SubjectKind.WORKSPACE,
            subject_id=workspace_id,
            before={"contexts": was_on},
            after={"contexts": is_on},
        )
    promise_spreading(tx, workspace_id, jobs=jobs)
