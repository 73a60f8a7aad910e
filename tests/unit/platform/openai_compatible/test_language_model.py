"""What a model wrote is read as JSON, whatever stands around it and however much."""

import time

import pytest

from chalicelib.platform.errors import LanguageModelAnswerRefused
from chalicelib.platform.openai_compatible.language_model import OpenAiLanguageModel
from chalicelib.platform.ports import Completion
from tests.fixtures.model_answers import Reply
from tests.fixtures.model_server import ModelServer
from tests.fixtures.moved_time import MovedTime
from tests.fixtures.remote_models import openai_of

SCHEMA = {
    "type": "object",
    "properties": {"grade": {"type": "integer"}},
    "required": ["grade"],
    "additionalProperties": False,
}


def complete(models: ModelServer, written: str) -> Completion:
    models.change = lambda _: Reply({"choices": [{"message": {"content": written}, "finish_reason": "stop"}]})
    model = OpenAiLanguageModel(openai_of(models), "some-model", name="openai/some-model", pace=MovedTime().pace)
    return model.complete(instructions="Judge.", prompt="{}", schema=SCHEMA, output_tokens=64, seconds=20)


@pytest.mark.parametrize(
    "written",
    [
        '{"grade": 3}',
        ' \n{"grade": 3}\n',
        '```json\n{"grade": 3}\n```',
        '```\r\n{"grade": 3}\n```',
        '``` \n\n{"grade": 3}\n\n```',
        'Let me <think> twice.</think>\n```json\n{"grade": 3}\n```',
    ],
)
def test_thoughts_and_fences_are_no_part_of_it(models: ModelServer, written: str) -> None:
    assert complete(models, written).value == {"grade": 3}


@pytest.mark.parametrize(
    "written",
    ["```" + "\n" * 200_000 + "x", "```json" + " \n" * 100_000 + "x", "[" * 200_000, '{"grade":' + "9" * 200_000 + "}"],
)
def test_what_goes_on_for_ever_is_refused_in_no_time(models: ModelServer, written: str) -> None:
    before = time.thread_time()
    with pytest.raises(LanguageModelAnswerRefused, match="it is no JSON"):
        complete(models, written)
    assert time.thread_time() - before < 2
