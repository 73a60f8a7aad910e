"""Asks every question in every configuration, in turns, and times the answers."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from chalicelib.cli.client import Client, Json
from chalicelib.cli.errors import ServerProblem
from chalicelib.cli.evaluate_configurations import Configuration, modes_of
from chalicelib.cli.printing import Stages
from chalicelib.evaluation.collection import Questions
from chalicelib.evaluation.errors import NothingJudged
from chalicelib.evaluation.report import Run

IdOf = Callable[[Json], str]
"""Finds the id, as judgements have it, of what a hit stands for."""

_WARMING = 3


@dataclass(frozen=True, slots=True)
class Answers:
    """The questions that were answered, and what each configuration answered; `remarks` say what to know of it."""

    questions: Questions
    runs: Sequence[Run]
    remarks: Sequence[str] = ()


@dataclass(slots=True)
class _Asking:
    """One configuration, while it is asked."""

    configuration: Configuration
    rankings: dict[str, list[str]] = field(default_factory=dict)
    milliseconds: dict[str, float] = field(default_factory=dict)
    inner: dict[str, float] = field(default_factory=dict)
    lapses: Counter[tuple[str, str]] = field(default_factory=Counter)

    def ask(self, client: Client, workspace_url: str, query_id: str, text: str, *, id_of: IdOf) -> None:
        """Ask one question. Raises ServerProblem."""
        started = time.perf_counter()
        answer = search(client, workspace_url, text, self.configuration)
        self.milliseconds[query_id] = (time.perf_counter() - started) * 1000
        self.inner[query_id] = float(answer["took_ms"])
        self.rankings[query_id] = [id_of(hit) for hit in answer["hits"]]
        self.lapses.update(_lapses(answer))

    def run(self, query_ids: Sequence[str]) -> Run:
        """Return what was answered to those questions."""
        return Run(
            name=self.configuration.name,
            depth=self.configuration.depth,
            rankings={query_id: self.rankings[query_id] for query_id in query_ids},
            milliseconds=[self.milliseconds[query_id] for query_id in query_ids],
            inner=[self.inner[query_id] for query_id in query_ids],
            parameters=self.configuration.parameters,
        )


def search(client: Client, workspace_url: str, text: str, configuration: Configuration) -> Json:
    """Ask a question for whole items. Raises ServerProblem."""
    return client.post(f"{workspace_url}/search", {**configuration.parameters, "query": text, "level": "item"})


def settle(client: Client, workspace_url: str, configurations: Sequence[Configuration]) -> Sequence[Configuration]:
    """Return the configurations, or one for every mode that the server has where none was named.

    Each is asked something, before much is done for one that the server refuses. Raises ServerProblem.
    """
    if not configurations:
        status = client.get(f"{workspace_url}/status")
        configurations = modes_of(has_embedder=status["embedding_space"] is not None)
    for configuration in configurations:
        try:
            search(client, workspace_url, "warm-up", configuration)
        except ServerProblem as error:
            if error.answered_status not in {400, 422}:
                raise
            said = f"The server refuses the configuration {configuration.name}: {error.detail}"
            raise ServerProblem({**error.document, "detail": said}, status=error.answered_status) from error
    return configurations


def ask_each(
    client: Client,
    workspace_url: str,
    questions: Questions,
    configurations: Sequence[Configuration],
    *,
    id_of: IdOf,
    stages: Stages,
) -> Answers:
    """Ask all; a question that the server refuses is left out everywhere. Raises ServerProblem, NothingJudged.

    Configurations take turns, and who is first changes, so that what else the machine does hits them alike.
    """
    askings = [_Asking(configuration) for configuration in configurations]
    for text in list(questions.texts.values())[:_WARMING]:
        _warm(client, workspace_url, text, configurations)
    answered: list[str] = []
    for done, (query_id, text) in enumerate(questions.texts.items()):
        stages.show("asking", done=done, total=len(questions.texts))
        first = done % len(askings)
        try:
            for asking in askings[first:] + askings[:first]:
                asking.ask(client, workspace_url, query_id, text, id_of=id_of)
        except ServerProblem as error:
            if error.answered_status not in {400, 422}:
                raise
            questions.flaws.note(f"questions that the server refuses ({error.name})", query_id)
        else:
            answered.append(query_id)
    if not answered:
        raise NothingJudged("The server refuses all of the questions.")
    remarks = [
        f"In {count} answers of {asking.configuration.name} {part} was left out: {reason}"
        for asking in askings
        for (part, reason), count in sorted(asking.lapses.items())
    ]
    return Answers(
        replace(questions, texts={query_id: questions.texts[query_id] for query_id in answered}),
        [asking.run(answered) for asking in askings],
        remarks,
    )


def _warm(client: Client, workspace_url: str, text: str, configurations: Sequence[Configuration]) -> None:
    for configuration in configurations:
        try:
            search(client, workspace_url, text, configuration)
        except ServerProblem as error:
            if error.answered_status not in {400, 422}:
                raise


def _lapses(answer: Json) -> list[tuple[str, str]]:
    """Return what an answer was made without, and why: lanes that were dropped, and stages that did not come about."""
    found = [(f"the {name} lane", lane) for name, lane in answer["lanes"].items() if lane["state"] == "dropped"]
    found += [(f"the {name}", stage) for name, stage in answer["stages"].items() if stage["state"] != "ok"]
    return [(part, str(report["reason"] or report["state"])) for part, report in found]
