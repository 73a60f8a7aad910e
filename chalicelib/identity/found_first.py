"""Makes the first organization of a deployment, so that there is somebody who can ask for anything."""

from collections.abc import Callable

from chalicelib.database.transaction import Transaction
from chalicelib.identity.found_organization import Foundation, found_organization
from chalicelib.identity.store import any_organization


def found_first_organization(
    tx: Transaction, *, owner_name: str, pepper: bytes, keep: Callable[[Foundation], None]
) -> Foundation | None:
    """Found an organization unless there is one; of several that start at once, one does.

    `keep` puts the owner's key where the operator finds it, before anything is committed: a key that opens
    nothing yet is harmless, an organization whose key nobody has is not.
    """
    if any_organization(tx):
        return None
    foundation = found_organization(
        tx, name="My organization", workspace_slug="main", owner_name=owner_name, pepper=pepper
    )
    keep(foundation)
    return foundation
