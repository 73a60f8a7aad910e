"""Deletes a workspace's vectors of a space that its organization has no more: the handler of the job `forget_space`."""

from chalicelib.database.database import Database
from chalicelib.embedding_spaces import fills_store
from chalicelib.embedding_spaces.store import share_choice
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import vectors_store
from chalicelib.index.spaces import find_space
from chalicelib.index.vectors_store import Place
from chalicelib.jobs.lease import LeasedJob

_BATCH = 1000
"""Vectors that go in one transaction."""


def forget_space(job: LeasedJob, *, database: Database) -> None:
    """Delete batch by batch. It ends at once where the organization has chosen the space again. Raises LeaseLost."""
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    workspace_id, space = WorkspaceId(job.workspace_id), str(job.payload["space"])
    with database.transaction() as tx:
        space_id = find_space(tx, name=space)
    while True:
        job.require_lease()
        with job.fenced() as tx:
            if space in share_choice(tx, workspace_id).written:
                return
            place = None if space_id is None else Place(workspace_id, space, space_id)
            if place is None or not vectors_store.delete_vectors(tx, place, limit=_BATCH):
                fills_store.forget_failures(tx, workspace_id, space)
                fills_store.delete_fill(tx, workspace_id, space)
                return
