"""Lets somebody write at a path, or refuses: by role or by grant, and only where the writer may read the result."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.access import store
from chalicelib.access.audience import audience_of, is_in
from chalicelib.access.model import Audience, AudienceId, Place
from chalicelib.access.readers import holders_of
from chalicelib.access.tokens import tokens_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, ActionForbidden, authorize, has_scope, held_role_allows, is_allowed


def authorize_writing(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, path: str, *, item_id: UUID | None = None
) -> AudienceId:
    """Let the principal write an item, or something new at a path; return the audience that what lies there has.

    Nobody says who may read there until commit. Raises WorkspaceNotFound, ActionForbidden. The refusal of a path
    below a folder that the principal may not read is the same whether anything lies there or not.
    """
    authorize(principal, workspace_id, Action.READ)
    store.share_places(tx, workspace_id)
    places = store.list_places(tx, workspace_id, path, item_id=item_id)
    if not is_let(principal, workspace_id, places):
        authorize(principal, workspace_id, Action.WRITE)
    audience = audience_of(workspace_id, places)
    if not can_read(principal, workspace_id, audience):
        raise ActionForbidden("You may not write at this path.", action=str(Action.WRITE))
    return store.put_audience(tx, workspace_id, audience)


def authorize_moving(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, path: str, *, from_path: str, item_id: UUID
) -> bool:
    """Let the principal put an item that lay elsewhere at a path; tell whether others read it there.

    Raises what authorize_writing raises.

    What is said about the item goes with it, so the right to write it is none to write there: that is asked as of
    something new. Else whoever may write one item could lay it into any folder, learn what lies there, and leave what
    is said about it to what comes to lie there. And whoever may not grant opens nothing by a move.
    """
    authorize_writing(tx, principal, workspace_id, path)
    authorize_writing(tx, principal, workspace_id, path, item_id=item_id)
    before = store.list_places(tx, workspace_id, from_path, item_id=item_id)
    after = store.list_places(tx, workspace_id, path, item_id=item_id)
    return require_no_wider(tx, principal, workspace_id, before, after)


def require_no_wider(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, before: Sequence[Place], after: Sequence[Place]
) -> bool:
    """Tell whether what lay at one place has another audience at another.

    Raises ActionForbidden where some living member could read it there who cannot now, but for who may grant.
    """
    present, audience = audience_of(workspace_id, before), audience_of(workspace_id, after)
    if audience.digest() == present.digest():
        return False
    if not is_allowed(principal, workspace_id, Action.GRANT) and store.finds_new_reader(
        tx, principal.organization_id, workspace_id, audience=audience, present=present
    ):
        raise ActionForbidden("Others could read it there, so only owners move it there.", action=str(Action.GRANT))
    return True


def audience_at(tx: Transaction, workspace_id: WorkspaceId, path: str) -> AudienceId:
    """Return the audience of something new at a path, for who was authorized before; nobody changes it until commit."""
    store.share_places(tx, workspace_id)
    return store.put_audience(
        tx, workspace_id, audience_of(workspace_id, store.list_places(tx, workspace_id, path, item_id=None))
    )


def can_read(principal: Principal, workspace_id: WorkspaceId, audience: Audience) -> bool:
    """Tell whether the principal, and whom it acts on behalf of, is in an audience."""
    return all(
        is_in(audience, holder.tokens, environment=holder.environment, is_agent=holder.is_agent)
        for holder in holders_of(principal, workspace_id)
    )


def can_write(principal: Principal, workspace_id: WorkspaceId, places: Sequence[Place]) -> bool:
    """Tell whether `authorize_writing` would let the principal write at the end of `places`."""
    return is_let(principal, workspace_id, places) and can_read(
        principal, workspace_id, audience_of(workspace_id, places)
    )


def is_let(principal: Principal, workspace_id: WorkspaceId, places: Sequence[Place]) -> bool:
    """Tell whether every one who acts here may write, each by role or by grant; the key's scope counts all the same."""
    if not is_allowed(principal, workspace_id, Action.READ) or not has_scope(principal, Action.WRITE):
        return False
    granted = writers_of(places)
    return all(
        held_role_allows(one, workspace_id, Action.WRITE) or tokens_of(one, workspace_id) & granted
        for one in principal.chain
    )


def writers_of(places: Sequence[Place]) -> frozenset[str]:
    """Return the tokens that write grants on the way give an action to."""
    writers: frozenset[str] = frozenset()
    for place in places:
        writers = (writers if place.settings.inherits else frozenset()) | place.writers
    return writers
