"""The edge: from a raw request to an answer, whatever happens in between."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from chalicelib.bootstrap import Application, application
from chalicelib.database.errors import TransactionConflict
from chalicelib.database.transaction import Transaction
from chalicelib.errors import LorebaseError
from chalicelib.http.authentication import act_as_asked, authenticate_request
from chalicelib.http.cors import cors_headers, preflight_headers
from chalicelib.http.errors import AnswerNotKept, AnswerTooLarge, InternalError
from chalicelib.http.idempotency import KeptAnswer, find_kept_answer, keep_answer, use_of_key
from chalicelib.http.measured import measured_of_refusal
from chalicelib.http.problems import CONTENT_TYPE, headers_of, problem_of
from chalicelib.http.refusals import note_refusals
from chalicelib.http.request_log import log_answer, log_defect
from chalicelib.http.requests import RawRequest, ids_of, read_body, read_idempotency_key, read_query, request_id_of
from chalicelib.http.routing import JSON, JSON_LINES, AnonymousCall, Answer, Call, Route
from chalicelib.identity.model import Principal
from chalicelib.settings import Settings, load_settings
from chalicelib.telemetry.correlation import correlated
from chalicelib.telemetry.metric_names import Metric
from chalicelib.telemetry.metrics import Metrics

_ATTEMPTS = 3
"""How often a transaction is tried that met another one; it has no effects but in the database."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back to the client, and what it adds to the metrics."""

    status: int
    headers: Mapping[str, str]
    body: str
    measured: Mapping[Metric, float] = field(default_factory=dict)


def reply_to(route: Route, request: RawRequest) -> Reply:
    """Answer a request; never raises."""
    request_id = request_id_of(request.headers)
    with correlated(request_id):
        return _reply_to(route, request, request_id)


def _reply_to(route: Route, request: RawRequest, request_id: str) -> Reply:
    started = time.perf_counter()
    metrics = Metrics()
    try:
        app = application()
        metrics = app.metrics
        reply = _answer(app, route, request, request_id)
        app.metering.meter.flush_if_due()
    except LorebaseError as error:
        reply = refusal(error, request_id=request_id)
    except Exception as error:  # noqa: BLE001  the one edge of the HTTP API
        log_defect(error, route=f"{route.method} {route.path}", request_id=request_id)
        reply = refusal(InternalError("Something went wrong; it was logged."), request_id=request_id)
    metrics.write(reply.measured)
    reply = _for_everyone(_below(request.base_path, reply), request.headers, request_id)
    log_answer(
        route=f"{route.method} {route.path}",
        status=reply.status,
        request_id=request_id,
        milliseconds=(time.perf_counter() - started) * 1000,
    )
    return reply


def _below(base_path: str, reply: Reply) -> Reply:
    """Return the reply with the place of what was made, which starts at the routes, as a path of the whole address."""
    location = reply.headers.get("Location", "")
    if not base_path or not location.startswith("/"):
        return reply
    return replace(reply, headers={**reply.headers, "Location": base_path + location})


def reply_to_refused(error: LorebaseError, headers: Mapping[str, str]) -> Reply:
    """Answer a request that reached no route."""
    request_id = request_id_of(headers)
    return _for_everyone(refusal(error, request_id=request_id), headers, request_id)


def reply_to_preflight(methods: Sequence[str], headers: Mapping[str, str]) -> Reply:
    """Answer OPTIONS on a path that knows `methods`."""
    preflight = preflight_headers(headers, methods=methods, allowed_origins=_allowed_origins())
    return _for_everyone(Reply(204, preflight, ""), headers, request_id_of(headers))


def reply_without_body(status: int, headers: Mapping[str, str], request_headers: Mapping[str, str]) -> Reply:
    """Answer a request that the local server has done by itself."""
    return _for_everyone(Reply(status, headers, ""), request_headers, request_id_of(request_headers))


def refusal(error: LorebaseError, *, request_id: str) -> Reply:
    """Return the problem document of an error as a reply."""
    document = json.dumps(problem_of(error, request_id=request_id), ensure_ascii=False, default=str)
    headers = {"Content-Type": CONTENT_TYPE, **headers_of(error)}
    return Reply(error.status, headers, document, measured_of_refusal(error))


def _for_everyone(reply: Reply, request_headers: Mapping[str, str], request_id: str) -> Reply:
    headers = {
        "X-Request-Id": request_id,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        **cors_headers(request_headers, allowed_origins=_allowed_origins()),
        **reply.headers,
    }
    return Reply(reply.status, headers, reply.body)


def _allowed_origins() -> Sequence[str]:
    # Whatever could not be wired, browsers are to see the problem that says so.
    with suppress(Exception):
        return application().settings.cors_origins
    with suppress(ValidationError):
        return load_settings().cors_origins
    return ()


def _answer(app: Application, route: Route, request: RawRequest, request_id: str) -> Reply:
    if route.anonymous_handler is not None:
        return _answer_anyone(app, route, route.anonymous_handler, request, request_id)
    sender = authenticate_request(app, request.headers)
    with note_refusals(app, sender, route, ids_of(request)):
        principal = act_as_asked(app, sender, request.headers, route=route)
    with note_refusals(app, principal, route, ids_of(request)):
        return _answer_to(app, route, request, request_id, principal)


def _answer_to(app: Application, route: Route, request: RawRequest, request_id: str, principal: Principal) -> Reply:
    query = read_query(route, request)
    body = read_body(route, request, limit=app.settings.request_bytes)
    key = read_idempotency_key(request.headers) if route.is_idempotent_by_key else None

    def call_in(tx: Transaction | None) -> Call[Any, Any]:
        return Call(
            application=app,
            route=route,
            principal=principal,
            transaction=tx,
            ids=ids_of(request),
            query=query,
            body=body,
            raw=request.body,
            headers=request.headers,
            request_id=request_id,
        )

    if not route.is_transaction:
        return _reply(_handle(call_in(None)), app.settings)
    return _patiently(lambda: _transact(app, call_in, request, key))


def _answer_anyone(
    app: Application,
    route: Route,
    handler: Callable[[AnonymousCall[Any]], Answer],
    request: RawRequest,
    request_id: str,
) -> Reply:
    read_query(route, request)
    call = AnonymousCall(
        app, request_id, read_body(route, request, limit=app.settings.request_bytes), request.base_path
    )
    if not route.is_transaction:
        return _reply(handler(call), app.settings)

    def transact() -> Reply:
        with app.database.transaction() as tx:
            return _reply(handler(replace(call, transaction=tx)), app.settings)

    return _patiently(transact)


def _patiently(transact: Callable[[], Reply]) -> Reply:
    """Do it again where it met another transaction."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(TransactionConflict):
            return transact()
    return transact()


def _transact(
    app: Application, call_in: Callable[[Transaction | None], Call[Any, Any]], request: RawRequest, key: str | None
) -> Reply:
    with app.database.transaction() as tx:
        call = call_in(tx)
        if key is None:
            return _reply(_handle(call), app.settings)
        use = use_of_key(key, request, principal=call.principal, now=app.clock.now())
        kept = find_kept_answer(tx, use)
        if kept is not None:
            return _repeat(kept, call)
        answer = _handle(call)
        if answer.about is not None or call.route.show_again is None:
            keep_answer(tx, use, KeptAnswer(answer.status, answer.headers, answer.about))
        return _reply(answer, app.settings)


def _handle(call: Call[Any, Any]) -> Answer:
    if call.route.handler is None:
        raise LookupError(f"{call.route.name} has no handler")
    return call.route.handler(call)


def _repeat(kept: KeptAnswer, call: Call[Any, Any]) -> Reply:
    if kept.about is None or call.route.show_again is None:
        raise AnswerNotKept(
            "This was done before. Its answer held a secret and was not kept; revoke what it made, or use a new key."
        )
    # What one may see is decided now, not when the first answer was given.
    answer = call.route.show_again(call, kept.about)
    again = replace(answer, status=kept.status, headers={**kept.headers, **answer.headers})
    return _reply(again, call.application.settings)


def _reply(answer: Answer, settings: Settings) -> Reply:
    if answer.lines is not None:
        lines = "".join(f"{line}\n" for line in answer.lines)
        _refuse_too_large(lines, settings.answer_bytes)
        return Reply(answer.status, {"Content-Type": JSON_LINES, **answer.headers}, lines, answer.measured)
    if answer.body is None:
        return Reply(answer.status, answer.headers, "", answer.measured)
    if isinstance(answer.body, BaseModel):
        body = answer.body.model_dump_json(by_alias=True)
    else:
        body = json.dumps(answer.body, ensure_ascii=False)
    _refuse_too_large(body, settings.answer_bytes)
    return Reply(answer.status, {"Content-Type": JSON, **answer.headers}, body, answer.measured)


def _refuse_too_large(body: str, limit: int) -> None:
    """Raise AnswerTooLarge for what AWS Lambda would not hand on: the body there is a string inside of JSON.

    Inside a transaction, so that what cannot be answered is not done either.
    """
    # No character takes more bytes than the six of an escaped control character.
    if not limit or len(body) * 6 <= limit:
        return
    size = len(json.dumps(body, ensure_ascii=False).encode())
    if size > limit:
        raise AnswerTooLarge(
            f"The answer would have {size} bytes, and {limit} are the most that can be sent here. Ask for less at a "
            "time (`limit`), and read a large item by its chunks or download its original.",
            limit=limit,
        )
