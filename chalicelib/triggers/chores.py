"""What a round of the sweep tidies up besides jobs, wherever it runs."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from chalicelib.audit.record_refusal import record_counted_refusals
from chalicelib.bootstrap import Application
from chalicelib.embedding_spaces.fill_what_waits import fill_what_waits
from chalicelib.intake.change_upload import expire_uploads
from chalicelib.intake.purge_items import purge_old_items
from chalicelib.triggers.sweep import Chore
from chalicelib.usage.store import forget_meters

_BATCH = 100
_BATCHES = 5
"""How much of the trash a round deletes at most: so many batches of so many items, each in a transaction."""
_METERS_KEPT = timedelta(days=2)
"""For how long a process that counts may have written nothing until its next flush could be taken for another's."""


def chores_of(wired: Application) -> Mapping[str, Chore]:
    """Return the chores by name."""
    return {
        "uploads": partial(_expire, wired),
        "answers": partial(_forget, wired),
        "trash": partial(_empty_trash, wired),
        "refusals": partial(_record_refusals, wired),
        "meters": partial(_forget_meters, wired),
        "vectors": partial(_fill_what_waits, wired),
    }


def _expire(wired: Application) -> int:
    with wired.database.transaction() as tx:
        return expire_uploads(tx, rules=wired.intake_rules, now=wired.clock.now())


def _empty_trash(wired: Application) -> int:
    days = wired.settings.trash_days
    purged = 0
    # Where nothing else is to do there is one round a day, which has to keep up with what was deleted in one.
    for _ in range(_BATCHES if days else 0):
        with wired.database.transaction() as tx:
            before = wired.clock.now() - timedelta(days=days)
            batch = purge_old_items(tx, before=before, limit=_BATCH, rules=wired.intake_rules)
        if not batch:
            break
        purged += batch
    return purged


def _forget(wired: Application) -> int:
    # With it come the routes, which no other worker needs.
    from chalicelib.http.idempotency import forget_answers  # noqa: PLC0415

    with wired.database.transaction() as tx:
        return forget_answers(tx, now=wired.clock.now())


def _fill_what_waits(wired: Application) -> int:
    with wired.database.transaction() as tx:
        return fill_what_waits(tx, embedders=wired.embedders, jobs=wired.jobs)


def _forget_meters(wired: Application) -> int:
    with wired.database.transaction() as tx:
        return forget_meters(tx, before=wired.clock.now() - _METERS_KEPT, limit=_BATCH * _BATCHES)


def _record_refusals(wired: Application) -> int:
    with wired.database.transaction() as tx:
        return record_counted_refusals(tx, now=wired.clock.now())
