"""Lists who can read an item or what lies in a folder, for its owners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from chalicelib.access.audience import trace_audience
from chalicelib.access.model import FolderId
from chalicelib.access.store import share_places
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, PrincipalKind, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import ItemId
from chalicelib.sharing import explain_store as store
from chalicelib.sharing.change_access import record_access
from chalicelib.sharing.explain_grounds import Grounds
from chalicelib.sharing.explain_model import Reader
from chalicelib.sharing.find_subject import find_folder_subject, find_item_subject


@dataclass(frozen=True, slots=True)
class Readers:
    """Some of those who can read a subject, in order of their ids, and how many there are of each kind."""

    readers: Sequence[Reader]
    counts_by_kind: Mapping[PrincipalKind, int]


def list_readers(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    subject_id: ItemId | FolderId,
    is_folder: bool,
    after: UUID | None,
    limit: int,
) -> Readers:
    """Return at most `limit` of those who can read a subject, behind the id `after`, each by what. It is recorded.

    They are worked out in two statements, however many members there are. Raises ItemNotFound, FolderNotFound,
    ActionForbidden.
    """
    authorize(principal, workspace_id, Action.READ)
    share_places(tx, workspace_id)
    if is_folder:
        subject = find_folder_subject(tx, principal, workspace_id, FolderId(subject_id))
    else:
        subject = find_item_subject(tx, principal, workspace_id, ItemId(subject_id))
    authorize(principal, workspace_id, Action.GRANT)
    trace = trace_audience(workspace_id, subject.places)
    asked = (tx, principal.organization_id, workspace_id, trace.audience)
    found = store.list_readers(*asked, after=after, limit=limit)
    counts = store.count_readers(*asked)
    grounds = Grounds(tx, workspace_id, trace, found)
    record_access(tx, principal, subject, ActivityAction.ACCESS_EXPLAINED, after={"readers": sum(counts.values())})
    return Readers(
        [
            Reader(
                id=reader.id,
                kind=reader.kind,
                name=reader.name,
                role=reader.roles_by_workspace[workspace_id],
                grounds=grounds.of_reading(reader),
            )
            for reader in found
        ],
        counts,
    )
