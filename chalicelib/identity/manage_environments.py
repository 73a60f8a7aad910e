"""Makes, lists and deletes the environments of an organization; an agent sees the knowledge of its own one alone."""

from collections.abc import Sequence

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import environment_store
from chalicelib.identity.errors import EnvironmentInUse, EnvironmentNotFound, EnvironmentTaken, InvalidIdentity
from chalicelib.identity.model import Environment, EnvironmentId, OrganizationId, Principal
from chalicelib.identity.names import checked_slug
from chalicelib.identity.rights import Action, authorize_organization

DEFAULT = "default"
"""What the environment is called that agents, folders and items are in of which nothing else is said."""


def create_environment(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, slug: str
) -> Environment:
    """Add an environment. Raises ActionForbidden, EnvironmentTaken, InvalidIdentity."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    if slug == DEFAULT:
        raise InvalidIdentity("The default environment is always there; choose another name.", slug=slug)
    environment = environment_store.insert_environment(
        tx, organization_id, environment_id=new_id(), slug=checked_slug(slug)
    )
    if environment is None:
        raise EnvironmentTaken("There is an environment of this name already.", slug=slug)
    _record(tx, principal, ActivityAction.ENVIRONMENT_CREATED, environment)
    return environment


def list_environments(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId
) -> Sequence[Environment]:
    """Return the organization's environments, without the default one, in order of their slugs."""
    authorize_organization(principal, organization_id, Action.READ)
    return environment_store.list_environments(tx, organization_id)


def delete_environment(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, environment_id: EnvironmentId
) -> None:
    """Remove an environment that nothing is in. Raises ActionForbidden, EnvironmentNotFound, EnvironmentInUse."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    environment = environment_store.lock_environment(tx, organization_id, environment_id)
    if environment is None:
        raise EnvironmentNotFound("There is no such environment.")
    agents, settings = environment_store.count_uses(tx, organization_id, environment.slug)
    if agents or settings:
        raise EnvironmentInUse(
            f"There are {agents} agents and {settings} folders or items in the environment; move them first.",
            agents=agents,
            settings=settings,
        )
    environment_store.delete_environment(tx, organization_id, environment_id)
    _record(tx, principal, ActivityAction.ENVIRONMENT_DELETED, environment)


def _record(tx: Transaction, principal: Principal, action: ActivityAction, environment: Environment) -> None:
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=action,
        subject_kind=SubjectKind.ENVIRONMENT,
        subject_id=environment.id,
        after={"slug": environment.slug},
    )
