"""Says who may read a folder's items or an item, in place of what was said before; it holds on the next read."""

from chalicelib.access.audience import audience_of
from chalicelib.access.model import DEFAULT_ENVIRONMENT, AccessSettings, AudienceKind, FolderId
from chalicelib.access.refresh import refresh_folder, refresh_item
from chalicelib.access.store import delete_unused_audiences, hold_places, list_places, put_audience
from chalicelib.access.tokens import organization_token, principal_token, workspace_token
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize, is_allowed
from chalicelib.items.model import ItemId
from chalicelib.sharing import store
from chalicelib.sharing.errors import InvalidAccess
from chalicelib.sharing.find_subject import find_folder_subject, find_item_subject
from chalicelib.sharing.model import AccessChoice, AudienceChoice, Subject

NAMED = 1000


def change_item_access(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId, choice: AccessChoice
) -> Subject:
    """Say who may read an item; every revision of it, now and later.

    Owners say everything; whoever made the item and may write keeps it to themselves, or no longer. Keeping something
    to oneself ends the grants on it.
    Raises ItemNotFound, ActionForbidden, InvalidAccess.
    """
    authorize(principal, workspace_id, Action.READ)
    hold_places(tx, workspace_id)
    subject = find_item_subject(tx, principal, workspace_id, item_id)
    settings = _settings_of(tx, principal, subject, choice)
    if not _is_own_to_keep(principal, subject, settings):
        authorize(principal, workspace_id, Action.GRANT)
    _put(tx, principal, subject, settings)
    refresh_item(tx, workspace_id, item_id, subject.path)
    delete_unused_audiences(tx, workspace_id)
    return find_item_subject(tx, principal, workspace_id, item_id)


def change_folder_access(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, folder_id: FolderId, choice: AccessChoice
) -> Subject:
    """Say who may read what lies in a folder and below it. Raises FolderNotFound, ActionForbidden, InvalidAccess."""
    authorize(principal, workspace_id, Action.GRANT)
    hold_places(tx, workspace_id)
    subject = find_folder_subject(tx, principal, workspace_id, folder_id)
    _put(tx, principal, subject, _settings_of(tx, principal, subject, choice))
    refresh_folder(tx, workspace_id, subject.path)
    return find_folder_subject(tx, principal, workspace_id, folder_id)


def read_item_access(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId) -> Subject:
    """Return an item with what is said about it, for owners and who made it. Raises ItemNotFound, ActionForbidden."""
    authorize(principal, workspace_id, Action.READ)
    subject = find_item_subject(tx, principal, workspace_id, item_id)
    if subject.created_by != principal.id:
        authorize(principal, workspace_id, Action.GRANT)
    return subject


def _put(tx: Transaction, principal: Principal, subject: Subject, settings: AccessSettings) -> None:
    store.put_settings(tx, subject, settings, principal_id=principal.id)
    before, after = _told(subject.settings), _told(settings)
    kept = subject.settings.audience_kind, subject.settings.audience
    if settings.audience_kind is AudienceKind.ONLY_ME and (settings.audience_kind, settings.audience) != kept:
        # Those given before it was kept: an owner's to themselves, say, which who keeps it could not even list.
        after["grants_taken"] = store.delete_grants(tx, subject)
    record_access(tx, principal, subject, ActivityAction.ACCESS_CHANGED, before=before, after=after)


def record_access(
    tx: Transaction,
    principal: Principal,
    subject: Subject,
    action: ActivityAction,
    *,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
) -> None:
    """Record what was said about a subject; whoever may not read there does not learn of it."""
    at = f"{subject.path}/" if subject.folder_id else subject.path
    places = list_places(tx, subject.workspace_id, at, item_id=subject.item_id)
    record(
        tx,
        principal=principal,
        workspace_id=subject.workspace_id,
        action=action,
        subject_kind=SubjectKind.FOLDER if subject.folder_id else SubjectKind.ITEM,
        subject_id=subject.id,
        before=before,
        after=after,
        audience_id=put_audience(tx, subject.workspace_id, audience_of(subject.workspace_id, places)),
    )


def _told(settings: AccessSettings) -> dict[str, object]:
    return {
        "audience_kind": settings.audience_kind,
        "audience": sorted(settings.audience or ()),
        "inherits": settings.inherits,
        "is_restricted": settings.is_restricted,
        "environment": settings.environment,
    }


def _is_own_to_keep(principal: Principal, subject: Subject, settings: AccessSettings) -> bool:
    """Tell whether the change only keeps one's own item to oneself, or ends that."""
    kept = {None, AudienceKind.ONLY_ME}
    before = subject.settings
    return (
        subject.created_by == principal.id
        and principal.on_behalf_of is None
        and is_allowed(principal, subject.workspace_id, Action.WRITE)
        and {before.audience_kind, settings.audience_kind} <= kept
        and (before.inherits, before.is_restricted, before.environment)
        == (settings.inherits, settings.is_restricted, settings.environment)
    )


def _settings_of(tx: Transaction, principal: Principal, subject: Subject, choice: AccessChoice) -> AccessSettings:
    """Turn what a person says into settings. Raises InvalidAccess."""
    environment = choice.environment
    if environment not in {None, DEFAULT_ENVIRONMENT} and not store.has_environment(
        tx, principal.organization_id, str(environment)
    ):
        raise InvalidAccess("The organization has no such environment.", field="environment")
    audience = choice.audience
    return AccessSettings(
        audience_kind=None if audience is None else audience.kind,
        audience=None if audience is None else _tokens(tx, principal, subject, audience),
        inherits=choice.inherits,
        is_restricted=choice.is_restricted,
        environment=environment,
    )


def _tokens(tx: Transaction, principal: Principal, subject: Subject, audience: AudienceChoice) -> frozenset[str]:
    _check_names(audience)
    if audience.kind is AudienceKind.WORKSPACE:
        return frozenset({workspace_token(subject.workspace_id)})
    if audience.kind is AudienceKind.ORGANIZATION:
        return frozenset({organization_token(principal.organization_id)})
    if audience.kind is AudienceKind.ONLY_ME:
        if principal.on_behalf_of is not None:
            raise InvalidAccess("Whoever acts for another keeps nothing to itself.", field="audience")
        if subject.item_id is not None and subject.created_by != principal.id:
            raise InvalidAccess("Only who made an item can keep it to themselves.", field="audience")
        return frozenset({principal_token(principal.kind, principal.id)})
    tokens = store.list_tokens(
        tx, principal.organization_id, team_ids=audience.team_ids, member_ids=audience.member_ids
    )
    if set(tokens) != audience.team_ids | audience.member_ids:
        raise InvalidAccess("The organization has no such team or member.", field="audience")
    return frozenset(tokens.values())


def _check_names(audience: AudienceChoice) -> None:
    wants_teams, wants_members = audience.kind is AudienceKind.TEAMS, audience.kind is AudienceKind.NAMED
    if bool(audience.team_ids) != wants_teams or bool(audience.member_ids) != wants_members:
        raise InvalidAccess(
            "An audience of teams names teams, a named one names members, and others name nobody.", field="audience"
        )
    if len(audience.team_ids) + len(audience.member_ids) > NAMED:
        raise InvalidAccess(f"An audience names at most {NAMED}; make a team of them.", field="audience")
