"""Calls a server that speaks OpenAI's protocol, and tells its refusals apart."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from chalicelib.platform.dialect import Choice, Dialect
from chalicelib.platform.errors import SecretsUnavailable
from chalicelib.platform.json_endpoint import JsonAnswer, JsonEndpoint
from chalicelib.platform.named_waits import named_wait
from chalicelib.platform.provider_calls import CallFailed, Outcome

# How servers say that a text, a batch or a prompt is too large; the status alone tells it with 413 only.
_TOO_LARGE = re.compile(
    r"too (long|large|many)|context[ _]length|maximum (context|input|batch|number)|max_tokens_per_request|max_?length"
    r"|above_max|must have less than|batch size|exceeds|longer than|larger than|at most \d",
    re.IGNORECASE,
)
# Bills, and not limits of the moment (platform.openai.com/docs/guides/error-codes).
_UNPAID = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated"})
_OUTCOMES_BY_STATUS = {
    **dict.fromkeys((401, 402, 403, 404, 405, 410, 451), Outcome.DENIED),
    **dict.fromkeys((429, 503, 529), Outcome.BUSY),
    **dict.fromkeys((408, 409, 425), Outcome.BROKEN),
    413: Outcome.TOO_LARGE,
}
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TELLING = ("message", "error", "detail", "msg", "loc", "param", "code", "type", "error_type")
_MOST_SAID = 2000
_SECONDS_OF_KEY = 300.0


class OpenAiApi:
    """One server with one key; what is asked for goes to paths below its URL, such as `/embeddings`."""

    def __init__(
        self, endpoint: JsonEndpoint, key: Callable[[], str | None], *, now: Callable[[], datetime] | None = None
    ) -> None:
        """`key` is read at the first call and again every five minutes; None sends no key."""
        self._endpoint = endpoint
        self._read_key = key
        self._now = now or (lambda: datetime.now(UTC))
        self._key: tuple[str | None, datetime] | None = None
        self._dialect = Dialect()

    def post(
        self,
        path: str,
        fields: Mapping[str, object],
        choices: Mapping[str, Choice],
        *,
        seconds: float,
        name_of_list: str = "",
    ) -> Mapping[str, object]:
        """Return the JSON object that is answered, to the form that the server takes. Raises CallFailed.

        `name_of_list` takes a list for an object that has it by this name.
        """
        ends_at = time.monotonic() + seconds

        def ask(chosen: Mapping[str, object]) -> Mapping[str, object]:
            content = self._post(path, {**fields, **chosen}, ends_at - time.monotonic())
            if isinstance(content, list) and name_of_list:
                return {name_of_list: content}
            if not isinstance(content, dict):
                raise CallFailed(Outcome.UNREADABLE, "answered with JSON that is no object")
            return content

        return self._dialect.ask(choices, ask)

    def _post(self, path: str, fields: Mapping[str, object], seconds: float) -> object:
        body = json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")
        answer = self._endpoint.post(path, body, self._headers(), seconds=seconds)
        if answer.status != 200:
            raise self._failure(answer)
        if answer.content is None:
            raise CallFailed(Outcome.BROKEN, "answered with something else than JSON")
        return answer.content

    def _headers(self) -> Mapping[str, str]:
        now = self._now()
        if self._key is None or (now - self._key[1]).total_seconds() > _SECONDS_OF_KEY:
            try:
                self._key = (self._read_key(), now)
            except SecretsUnavailable as error:
                raise CallFailed(Outcome.BROKEN, "has a key that cannot be read from the secret store") from error
        key = self._key[0]
        if not key:
            return {}
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise CallFailed(Outcome.DENIED, "has a key of characters that no header takes")
        return {"Authorization": f"Bearer {key}"}

    def _failure(self, answer: JsonAnswer) -> CallFailed:
        said, code = _said(answer.content) if answer.content is not None else (answer.text, "")
        known = self._key
        if known is not None and known[0]:
            said, code = (text.replace(known[0], "…") for text in (said, code))
        if answer.status in (401, 403):
            self._key = None  # the next call reads it anew: it may have been changed
        about = f"answered {answer.status}" + (f" ({code})" if code else "")
        return CallFailed(
            _outcome(answer.status, said, code), about, said=said, wait=named_wait(answer.headers, self._now())
        )


def _outcome(status: int, said: str, code: str) -> Outcome:
    if code in _UNPAID or code == "model_not_found" or 300 <= status < 400:
        return Outcome.DENIED
    if status in _OUTCOMES_BY_STATUS:
        return _OUTCOMES_BY_STATUS[status]
    if _TOO_LARGE.search(said):
        return Outcome.TOO_LARGE
    return Outcome.REFUSED if 400 <= status < 500 else Outcome.BROKEN


def _said(content: object) -> tuple[str, str]:
    """Return what an error says, for a program to search, and its code where that is one.

    OpenAI has an object `error` with `message`, `type`, `param` and `code`; TEI a text `error` and `error_type`; vLLM
    and Mistral the fields beside each other; FastAPI a list or a text `detail`, with the request itself in it as well.
    """
    fields = content if isinstance(content, dict) else {}
    inner = fields.get("error")
    error = inner if isinstance(inner, dict) else fields
    codes = [error.get("code"), error.get("type"), fields.get("error_type")]
    code = next((each for each in codes if isinstance(each, str) and _CODE.fullmatch(each)), "")
    return "; ".join(_words(content))[:_MOST_SAID], code


def _words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
    elif isinstance(value, dict):
        for name in _TELLING:
            yield from _words(value.get(name))
