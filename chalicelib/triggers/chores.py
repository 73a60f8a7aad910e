"""What a round of the sweep tidies up besides jobs, wherever it runs."""

from collections.abc import Mapping
from functools import partial

from chalicelib.audit.record_refusal import record_counted_refusals
from chalicelib.bootstrap import Application
from chalicelib.intake.change_upload import expire_uploads
from chalicelib.triggers.sweep import Chore


def chores_of(wired: Application) -> Mapping[str, Chore]:
    """Return the chores by name."""
    return {
        "uploads": partial(_expire, wired),
        "answers": partial(_forget, wired),
        "refusals": partial(_record_refusals, wired),
    }


def _expire(wired: Application) -> int:
    with wired.database.transaction() as tx:
        return expire_uploads(tx, rules=wired.intake_rules, now=wired.clock.now())


def _forget(wired: Application) -> int:
    # With it come the routes, which no other worker needs.
    from chalicelib.http.idempotency import forget_answers  # noqa: PLC0415

    with wired.database.transaction() as tx:
        return forget_answers(tx, now=wired.clock.now())


def _record_refusals(wired: Application) -> int:
    with wired.database.transaction() as tx:
        return record_counted_refusals(tx, now=wired.clock.now())
