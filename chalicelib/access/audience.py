"""Access tokens: what an item's audience is made of, and what a principal holds.

The one predicate is the SQL function `readable(audience, tokens)`: true where they share a token.
Tokens are computed for each request from what the principal is now, so that losing a role works on
the next read without rewriting a row.
"""

from collections.abc import Sequence

from chalicelib.identity.model import Principal, PrincipalId, PrincipalKind, WorkspaceId


def workspace_audience(workspace_id: WorkspaceId) -> list[str]:
    """Return the audience of what every reader of a workspace may see."""
    return [f"workspace:{workspace_id}"]


def tokens_of(principal: Principal) -> Sequence[str]:
    """Return the access tokens that a principal holds."""
    return [
        f"{principal.kind}:{principal.id}",
        f"org:{principal.organization_id}",
        *(f"workspace:{workspace_id}" for workspace_id in principal.roles_by_workspace),
    ]


def tokens_of_absent(principal_id: PrincipalId | None, workspace_id: WorkspaceId) -> Sequence[str]:
    """Return the least that somebody holds who wrote into a workspace earlier and is not here to be asked.

    A worker acts with these on behalf of an uploader; None is whoever drops into the bucket.
    """
    own = [f"{kind}:{principal_id}" for kind in PrincipalKind] if principal_id else []
    return [*own, *workspace_audience(workspace_id)]
