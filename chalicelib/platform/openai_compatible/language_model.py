"""Has JSON written by `POST /chat/completions` of a server that speaks OpenAI's protocol."""

import json
import re
from collections.abc import Mapping

from chalicelib.platform.completions import TRIES, completion_of, guarded, refused, translated
from chalicelib.platform.dialect import Choice
from chalicelib.platform.json_shape import requires_all, without_bounds
from chalicelib.platform.openai_compatible.api import OpenAiApi
from chalicelib.platform.patience import Pace, Patience
from chalicelib.platform.ports import Completion
from chalicelib.platform.provider_calls import CallFailed

_COUNTS = ("prompt_tokens", "completion_tokens")
# Of models that think aloud, and of those who were asked for JSON and not made to write it.
_THOUGHTS = re.compile(r"^.*</think>", re.DOTALL)
_FENCED = re.compile(r"^```(?:json)?[ \t\r]*\n(.*)\n```$", re.DOTALL)


class OpenAiLanguageModel:
    """One model of a server; threads may share it."""

    def __init__(self, api: OpenAiApi, model: str, *, name: str, pace: Pace | None = None) -> None:
        self.name = name
        self._api = api
        self._model = model
        self._pace = pace or Pace()

    def complete(
        self, *, instructions: str, prompt: str, schema: Mapping[str, object], output_tokens: int, seconds: float
    ) -> Completion:
        """Return an object that meets the schema. Raises LanguageModelUnavailable, LanguageModelAnswerRefused."""
        # In words as well: not every server that takes a schema holds the model to it.
        form = f"Answer with one JSON object of this JSON Schema and nothing else: {json.dumps(schema)}"
        system = guarded(f"{instructions}\n\n{form}")
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        fields = {"model": self._model, "messages": messages}
        choices = _choices(schema, output_tokens)
        patience = Patience(seconds, self._pace, seconds_a_call=seconds)
        try:
            answer = patience.call(
                lambda left: self._api.post("/chat/completions", fields, choices, seconds=left), tries=TRIES
            )
        except CallFailed as failed:
            raise translated(self.name, failed) from failed
        counts = answer.get("usage")
        value, fault = _read(answer)
        if fault:
            raise refused(self.name, fault, counts=counts, names=_COUNTS)
        return completion_of(value, schema=schema, model=self.name, counts=counts, names=_COUNTS)


def _choices(schema: Mapping[str, object], output_tokens: int) -> Mapping[str, Choice]:
    strict = {"name": "answer", "schema": without_bounds(schema), "strict": requires_all(schema)}
    return {
        "format": Choice(
            ("response_format", "json_schema", "json_object", "schema", "grammar"),
            (
                {"response_format": {"type": "json_schema", "json_schema": strict}},
                {"response_format": {"type": "json_object"}},
                {},
            ),
        ),
        "length": Choice(
            ("max_completion_tokens", "max_tokens"),
            ({"max_completion_tokens": output_tokens}, {"max_tokens": output_tokens}),
        ),
        # Models that reason take no temperature but their own.
        "temperature": Choice(("temperature",), ({"temperature": 0}, {})),
    }


def _read(answer: Mapping[str, object]) -> tuple[object, str]:
    """Return what the model wrote as JSON, and what is wrong with it if anything is."""
    listed = answer.get("choices")
    choice = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    reason = choice.get("finish_reason")
    if reason == "length":
        return None, "it was cut off at the limit of tokens"
    if reason == "content_filter" or (isinstance(message, dict) and message.get("refusal")):
        return None, "it was withheld"
    if not isinstance(content, str):
        return None, "there is no text in it"
    text = _THOUGHTS.sub("", content).strip()
    fenced = _FENCED.match(text)
    try:
        value: object = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None, "it is no JSON"
    return value, ""
