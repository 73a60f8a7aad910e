"""Answers a repeated POST without doing it again, by its Idempotency-Key.

What the answer was about is stored in the transaction of the effect: whoever crashes in between leaves both or
neither. The answer itself is made anew each time, so that it holds nothing that the asker may not see by now.
Only successes are kept; a refused request changed nothing and may be sent again under the same key.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.http.errors import IdempotencyKeyReused, RequestInProgress
from chalicelib.http.requests import RawRequest
from chalicelib.identity.model import Principal, PrincipalId

_SQL = load_statements(__package__, "idempotency.sql")

KEPT_FOR = timedelta(hours=24)
"""How long a key is remembered."""


@dataclass(frozen=True, slots=True)
class KeyUse:
    """One request under a key: whose, which, with what, when."""

    principal_id: PrincipalId
    key: str
    request_hash: bytes
    now: datetime


def use_of_key(key: str, request: RawRequest, *, principal: Principal, now: datetime) -> KeyUse:
    """Return the use of a key by a principal.

    Whoever acts on behalf of several members has the key once for each, so that nobody is shown what was done for
    another.
    """
    acted_for = principal.on_behalf_of
    if acted_for is not None:
        key = "for:" + hashlib.sha256(f"{acted_for.id}\n{key}".encode()).hexdigest()
    whose = [str(entry.id) for entry in principal.chain]
    return KeyUse(principal.id, key, hash_request(request, whose=whose), now)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What is kept of an answer; `about` is the id of the thing to show again, None where the answer held a secret."""

    status: int
    headers: Mapping[str, str]
    about: UUID | None


def hash_request(request: RawRequest, *, whose: Sequence[str] = ()) -> bytes:
    """Return what two requests must share to be the same one."""
    parts = [
        *whose[1:],
        request.method,
        request.pattern,
        json.dumps(sorted(request.path_values.items())),
        json.dumps(sorted((name, list(values)) for name, values in request.query_values.items())),
        hashlib.sha256(request.body).hexdigest(),
    ]
    return hashlib.sha256("\n".join(parts).encode()).digest()


def find_kept_answer(tx: Transaction, use: KeyUse) -> KeptAnswer | None:
    """Take the key for this transaction and return what is kept of the answer given under it before.

    Raises RequestInProgress, IdempotencyKeyReused.
    """
    lock = tx.fetch_one(_SQL["lock_key"], lock=f"idempotency:{use.principal_id}:{use.key}")
    if lock is None or not lock["is_ours"]:
        raise RequestInProgress("The first request with this Idempotency-Key is not finished; repeat it in a moment.")
    row = tx.fetch_one(_SQL["find_answer"], principal_id=use.principal_id, key=use.key, since=use.now - KEPT_FOR)
    if row is None:
        return None
    if bytes(row["request_hash"]) != use.request_hash:
        raise IdempotencyKeyReused("This Idempotency-Key was sent with another request; use a new one.")
    return KeptAnswer(row["status"], row["headers"], row["about"])


def keep_answer(tx: Transaction, use: KeyUse, answer: KeptAnswer) -> None:
    """Note what is answered."""
    tx.execute(
        _SQL["keep_answer"],
        principal_id=use.principal_id,
        key=use.key,
        request_hash=use.request_hash,
        status=answer.status,
        headers=json.dumps(dict(answer.headers)),
        about=answer.about,
        now=use.now,
    )


def forget_answers(tx: Transaction, *, now: datetime) -> int:
    """Remove keys that are no longer remembered; return how many."""
    return tx.execute(_SQL["forget_answers"], before=now - KEPT_FOR)
