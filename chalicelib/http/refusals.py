"""Notes in the activity what was refused to somebody who is known."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

from chalicelib.audit.record_refusal import record_refusal
from chalicelib.bootstrap import Application
from chalicelib.errors import Forbidden
from chalicelib.http.request_log import log_defect
from chalicelib.http.routing import Route
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.telemetry.correlation import current_correlation_id

_FORBIDDEN = 403


@contextmanager
def note_refusals(
    application: Application, principal: Principal, route: Route, ids: Mapping[str, UUID]
) -> Iterator[None]:
    """Record a refusal that the block raises, in a transaction of its own; the answer is the same if that fails.

    What answers as if it were not there is not told apart from what is not, and so not recorded.
    """
    try:
        yield
    except Forbidden as error:
        if error.status == _FORBIDDEN:
            _note(application, principal, route, ids, error)
        raise


def _note(
    application: Application, principal: Principal, route: Route, ids: Mapping[str, UUID], error: Forbidden
) -> None:
    named = WorkspaceId(ids["workspace_id"]) if "workspace_id" in ids else None
    try:
        with application.database.transaction() as tx:
            record_refusal(
                tx,
                principal=principal,
                workspace_id=named if named in principal.roles_by_workspace else None,
                route=route.name,
                reason=error.problem_type(),
                now=application.clock.now(),
            )
    except Exception as failure:  # noqa: BLE001  the refusal itself is to be answered, whatever happens here
        log_defect(failure, route=f"{route.method} {route.path}", request_id=current_correlation_id() or "")
