"""Moves or renames a folder with all that lies in it, the trash included, in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.access.audience import audience_of
from chalicelib.access.model import AccessSettings, FolderId, Place
from chalicelib.access.readers import audiences_of
from chalicelib.access.refresh import refresh_folder
from chalicelib.access.store import hold_places, list_places, list_places_around, put_audience
from chalicelib.access.writing import authorize_writing, require_no_wider
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, ActionForbidden, authorize, is_allowed
from chalicelib.items.errors import InvalidPath, PathTaken
from chalicelib.items.paths import PATH_CHARACTERS, PATH_DEPTH, checked_path
from chalicelib.sharing import folder_moves_store as store
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.folder_moves_store import Survey


@dataclass(frozen=True, slots=True)
class MovedFolder:
    """Where a folder lies now, and how many living items in it the asker may read."""

    path: str
    items: int


@dataclass(frozen=True, slots=True)
class _Move:
    """One folder on its way. `within` are the places in it, itself included, about which something can be said."""

    source: str
    target: str
    within: Sequence[Place]

    @property
    def folders(self) -> Mapping[FolderId, str]:
        """The folders among them: their paths by id, the outermost first."""
        return {place.folder_id: place.path for place in self.within if place.folder_id is not None}

    @property
    def is_said(self) -> bool:
        """Whether something is said about who may read, in the folder or anywhere below."""
        return any(_is_said(place) for place in self.within)

    def path_of(self, path: str) -> str:
        """Return where what lies at a path will lie."""
        return self.target + path[len(self.source) :]


def move_folder(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, source: str, target: str
) -> MovedFolder:
    """Move everything in the folder `source` to the folder `target`, or nothing.

    Whoever may grant moves any folder; others who may write move one in which nothing is said about who may read, to
    where nobody reads it who did not before.
    Each item gets its next revision, keeps its index, and is read by whom its new place lets. Nobody else writes in
    the workspace meanwhile. Raises FolderNotFound, InvalidPath, PathTaken, ActionForbidden.
    """
    authorize(principal, workspace_id, Action.READ)
    source, target = checked_path(source), checked_path(target)
    if f"{target}/".startswith(f"{source}/"):
        raise InvalidPath("A folder cannot be moved to where it is, nor into itself.", path=target[:200])
    hold_places(tx, workspace_id)
    for folder in (source, target):
        authorize_writing(tx, principal, workspace_id, f"{folder}/")
    places = list_places_around(tx, workspace_id, source)
    move = _Move(source, target, [place for place in places if f"{place.path}/".startswith(f"{source}/")])
    survey = store.survey_folder(tx, workspace_id, source, audiences=audiences_of(tx, principal, workspace_id))
    _require_right(principal, workspace_id, move, survey)
    before, after = (list_places(tx, workspace_id, f"{folder}/", item_id=None) for folder in (source, target))
    require_no_wider(tx, principal, workspace_id, before, after)
    _require_fitting_paths(move, survey)
    _require_room(tx, principal, workspace_id, move)
    _move(tx, principal, workspace_id, move, survey)
    return MovedFolder(target, survey.living)


def read_moved_folder(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, path: str) -> MovedFolder:
    """Return what the principal sees now of where a folder was moved to."""
    authorize(principal, workspace_id, Action.READ)
    folder = checked_path(path)
    survey = store.survey_folder(tx, workspace_id, folder, audiences=audiences_of(tx, principal, workspace_id))
    return MovedFolder(folder, survey.living)


def _require_right(principal: Principal, workspace_id: WorkspaceId, move: _Move, survey: Survey) -> None:
    may_grant = is_allowed(principal, workspace_id, Action.GRANT)
    if not survey.living and not (may_grant and move.folders):
        raise FolderNotFound("There is no such folder.")
    if not may_grant and (survey.kept or move.is_said):
        # The same words for both, so that they do not tell whether anything is kept from the asker.
        raise ActionForbidden(
            "Only owners move a folder in which something is said about who may read.",
            action=str(Action.GRANT),
        )


def _require_fitting_paths(move: _Move, survey: Survey) -> None:
    longest = max(survey.longest, *(len(place.path) for place in move.within), 0)
    deepest = max(survey.deepest, *(place.path.count("/") + 1 for place in move.within), 0)
    if longest + len(move.target) - len(move.source) > PATH_CHARACTERS:
        raise InvalidPath(f"Something in the folder would get a path of more than {PATH_CHARACTERS} characters.")
    if deepest + move.target.count("/") - move.source.count("/") > PATH_DEPTH:
        raise InvalidPath(f"Something in the folder would get a path of more than {PATH_DEPTH} levels.")


def _require_room(tx: Transaction, principal: Principal, workspace_id: WorkspaceId, move: _Move) -> None:
    """Raise PathTaken where something lies, or is said, where something of the folder would come to lie."""
    audiences = audiences_of(tx, principal, workspace_id)
    taken = store.find_taken(tx, workspace_id, move.source, move.target, audiences=audiences)
    if taken is not None and taken.path is not None:
        raise PathTaken(f"Another item lies at {taken.path}; nothing was moved.", path=taken.path)
    if taken is not None:
        raise PathTaken("Another item lies where one of the folder would come to lie; nothing was moved.")
    kept = {place.path for place in list_places_around(tx, workspace_id, move.target) if place.folder_id is not None}
    targets = {move.path_of(path) for path in move.folders.values()}
    if targets & (kept - set(move.folders.values())):
        raise PathTaken("Something is said about both folders, or a folder in each; nothing was moved.")
    said = [move.path_of(place.path) for place in move.within if place.folder_id is not None and _is_said(place)]
    if store.find_crowded(tx, workspace_id, said, source=move.source):
        raise PathTaken(
            "What is said about the folder, or one in it, would come to hold for other items; nothing was moved."
        )


def _move(tx: Transaction, principal: Principal, workspace_id: WorkspaceId, move: _Move, survey: Survey) -> None:
    audiences = audiences_of(tx, principal, workspace_id)
    before = store.survey_folder(tx, workspace_id, move.target, audiences=audiences)
    store.move_items(tx, workspace_id, move.source, move.target, principal_id=principal.id)
    for folder_id, path in move.folders.items():
        store.move_folder(tx, workspace_id, folder_id, path=move.path_of(path))
    # Nothing is left in the source: what was sent there and became no item has moved as well.
    refresh_folder(tx, workspace_id, move.target)
    after = store.survey_folder(tx, workspace_id, move.target, audiences=audiences_of(tx, principal, workspace_id))
    is_within = move.source.startswith(f"{move.target}/")
    if after.readable < before.readable + (0 if is_within else survey.readable):
        # A folder in the target keeps things from the mover, who would write where they cannot read.
        raise ActionForbidden("You may not write at this path.", action=str(Action.WRITE))
    places = list_places(tx, workspace_id, f"{move.target}/", item_id=None)
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=ActivityAction.FOLDER_MOVED,
        subject_kind=SubjectKind.FOLDER,
        subject_id=next((id_ for id_, path in move.folders.items() if path == move.source), None),
        after={"items": survey.living},
        audience_id=put_audience(tx, workspace_id, audience_of(workspace_id, places)),
    )


def _is_said(place: Place) -> bool:
    return place.settings != AccessSettings() or bool(place.readers)
