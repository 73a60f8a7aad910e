"""Has JSON written by a language model of Amazon Bedrock: its one tool takes the object, and it is made to call it.

docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

import time
from collections.abc import Mapping

from chalicelib.platform.aws.bedrock_api import BedrockApi, path_of
from chalicelib.platform.completions import TRIES, completion_of, guarded, refused, translated
from chalicelib.platform.dialect import Choice, Dialect
from chalicelib.platform.json_shape import without_bounds
from chalicelib.platform.patience import Pace, Patience
from chalicelib.platform.ports import Completion
from chalicelib.platform.provider_calls import CallFailed

_TOOL = "answer"
_COUNTS = ("inputTokens", "outputTokens")
_FAULTS_BY_REASON = {
    "max_tokens": "it was cut off at the limit of tokens",
    "model_context_window_exceeded": "it was cut off at the end of the model's context",
    "guardrail_intervened": "it was withheld by a guardrail",
    "content_filtered": "it was withheld",
    "malformed_model_output": "it is malformed",
    "malformed_tool_use": "it is malformed",
}
# "This model doesn't support the toolConfig.toolChoice.tool field": some take `any`, some have to be asked in words.
_CHOICES: Mapping[str, Choice] = {
    "toolChoice": Choice(("toolchoice",), ({"toolChoice": {"tool": {"name": _TOOL}}}, {"toolChoice": {"any": {}}}, {})),
    "temperature": Choice(("temperature",), ({"temperature": 0}, {})),
}


class BedrockLanguageModel:
    """One model, by its name, its ARN or that of an inference profile; threads may share it."""

    def __init__(self, api: BedrockApi, model: str, *, name: str, pace: Pace | None = None) -> None:
        self.name = name
        self._api = api
        self._path = path_of(model, "converse")
        self._dialect = Dialect()
        self._pace = pace or Pace()

    def complete(
        self, *, instructions: str, prompt: str, schema: Mapping[str, object], output_tokens: int, seconds: float
    ) -> Completion:
        """Return an object that meets the schema. Raises LanguageModelUnavailable, LanguageModelAnswerRefused."""
        patience = Patience(seconds, self._pace, seconds_a_call=seconds)
        system = guarded(f"{instructions}\n\nAnswer by calling the tool {_TOOL}, once.")
        try:
            answer = patience.call(
                lambda left: self._converse(system, prompt, schema, output_tokens, left), tries=TRIES
            )
        except CallFailed as failed:
            raise translated(self.name, failed) from failed
        counts = answer.get("usage")
        value, fault = _read(answer)
        if fault:
            raise refused(self.name, fault, counts=counts, names=_COUNTS)
        return completion_of(value, schema=schema, model=self.name, counts=counts, names=_COUNTS)

    def _converse(
        self, system: str, prompt: str, schema: Mapping[str, object], output_tokens: int, seconds: float
    ) -> Mapping[str, object]:
        ends_at = time.monotonic() + seconds
        tool = {"name": _TOOL, "description": "Takes the answer.", "inputSchema": {"json": without_bounds(schema)}}

        def ask(chosen: Mapping[str, object]) -> Mapping[str, object]:
            made = {name: value for name, value in chosen.items() if name == "toolChoice"}
            sampling = {name: value for name, value in chosen.items() if name == "temperature"}
            fields = {
                "system": [{"text": system}],
                "messages": [{"role": "user", "content": [{"text": prompt}]}],
                "inferenceConfig": {"maxTokens": output_tokens, **sampling},
                "toolConfig": {"tools": [{"toolSpec": tool}], **made},
            }
            return self._api.post("bedrock-runtime", self._path, fields, seconds=ends_at - time.monotonic()).content

        return self._dialect.ask(_CHOICES, ask)


def _read(answer: Mapping[str, object]) -> tuple[object, str]:
    """Return what the tool was given, and what is wrong with the answer if anything is."""
    fault = _FAULTS_BY_REASON.get(str(answer.get("stopReason")), "")
    output = answer.get("output")
    message = output.get("message") if isinstance(output, dict) else None
    blocks = message.get("content") if isinstance(message, dict) else None
    listed = blocks if isinstance(blocks, list) else []
    uses = [block["toolUse"] for block in listed if isinstance(block, dict) and "toolUse" in block]
    if fault or not uses:
        return None, fault or "the model did not call the tool"
    use = uses[0]
    return (use.get("input") if isinstance(use, dict) else None), ""
