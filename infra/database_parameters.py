"""Parameters of the cluster, each with why it is not left to Aurora."""

from collections.abc import Mapping
from types import MappingProxyType

from infra.configuration import Deployment

_SECOND = 1000

_PARAMETERS = MappingProxyType(
    {
        # Nobody talks to the database in the clear, whatever a client asks for.
        "rds.force_ssl": "1",
        # A function that was killed within a transaction must not hold its locks for the day that is Aurora's
        # default. No transaction of ours waits for anything but the database.
        "idle_in_transaction_session_timeout": str(60 * _SECOND),
        # A backstop far above every statement of ours; migrations lift it for themselves.
        "statement_timeout": str(300 * _SECOND),
        # In seconds. Until a table's first analysis the planner compares each item with each vector, on a laptop too,
        # whose setting a test holds this to. Aurora's default, but neither PostgreSQL's (60) nor that of RDS (15):
        # docs.aws.amazon.com/prescriptive-guidance/latest/tuning-postgresql-parameters/autovacuum-naptime.html.
        "autovacuum_naptime": "5",
        # Statements that are worth a look. They carry placeholders, never values:
        "log_min_duration_statement": str(2 * _SECOND),
        "log_parameter_max_length": "0",
        # Nor do errors quote rows (DETAIL of a violated constraint holds the values).
        "log_error_verbosity": "terse",
        "log_lock_waits": "1",
        "timezone": "UTC",
    }
)

# A function that Lambda froze keeps its connection, and the cluster does not pause while anybody is connected.
# The server ends such sessions; the pool notices and opens a new one.
_IDLE_SESSION = str(60 * _SECOND)


def parameters_of(deployment: Deployment) -> Mapping[str, str]:
    """Return the parameters of the stage's cluster; behind a proxy, idle connections are the proxy's affair."""
    if deployment.database.proxy:
        return _PARAMETERS
    return {**_PARAMETERS, "idle_session_timeout": _IDLE_SESSION}
