"""Asking questions in configurations, against a server that answers from a script."""

import httpx
import pytest

from chalicelib.cli.client import Client, Json
from chalicelib.cli.errors import ServerProblem
from chalicelib.cli.evaluate_asking import Answers, ask_each
from chalicelib.cli.evaluate_configurations import Configuration
from chalicelib.cli.printing import Printer
from chalicelib.evaluation.collection import Flaws, Questions
from chalicelib.evaluation.errors import NothingJudged

_QUESTIONS = {"q1": "one", "q2": "two", "q3": "three"}
_CONFIGURATIONS = [Configuration(name, {"limit": 100, "mode": name}) for name in ("lexical", "hybrid")]


class Server:
    """Answers searches; refuses `refused` questions with `status`, and leaves the reranker out where `hybrid` asks."""

    def __init__(self, *, refused: frozenset[str] = frozenset(), status: int = 400) -> None:
        self.asked: list[tuple[str, str]] = []
        self._refused, self._status = refused, status

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body: Json = httpx.Response(200, content=request.content).json()
        self.asked.append((body["mode"], body["query"]))
        assert (body["level"], body["limit"]) == ("item", 100)
        if body["query"] in self._refused:
            problem = {"type": "urn:lorebase:problem:query-too-long", "title": "Too long", "status": self._status}
            return httpx.Response(self._status, json=problem)
        state = {"state": "dropped", "reason": "late", "ms": 1.0}
        hits = [{"path": f"{body['query']}/{rank}"} for rank in range(2)]
        stages = {"rerank": state} if body["mode"] == "hybrid" else {}
        return httpx.Response(200, json={"hits": hits, "lanes": {"semantic": state}, "stages": stages, "took_ms": 1.5})


def asked(server: Server) -> tuple[Answers, Questions]:
    questions = Questions(_QUESTIONS, {query_id: {"x": 1} for query_id in _QUESTIONS}, {}, Flaws())
    client = Client("http://127.0.0.1:1", lambda: "key", transport=httpx.MockTransport(server), pause=lambda _: None)
    with Printer(wants_json=True).progress() as stages:
        answers = ask_each(
            client, "/v1/workspaces/w", questions, _CONFIGURATIONS, id_of=lambda hit: str(hit["path"]), stages=stages
        )
    return answers, questions


@pytest.fixture
def server() -> Server:
    return Server()


def test_configurations_take_turns_in_being_first(server: Server) -> None:
    answers, _ = asked(server)
    warmed, timed = server.asked[:6], server.asked[6:]
    assert {mode for mode, _ in warmed} == {"lexical", "hybrid"}
    assert timed == [
        ("lexical", "one"),
        ("hybrid", "one"),
        ("hybrid", "two"),
        ("lexical", "two"),
        ("lexical", "three"),
        ("hybrid", "three"),
    ]
    assert [run.name for run in answers.runs] == ["lexical", "hybrid"]
    assert answers.runs[0].rankings["q2"] == ["two/0", "two/1"]
    assert answers.runs[1].inner == [1.5, 1.5, 1.5]


def test_what_answers_were_made_without_is_told(server: Server) -> None:
    answers, _ = asked(server)
    assert answers.remarks == [
        "In 3 answers of lexical the semantic lane was left out: late",
        "In 3 answers of hybrid the rerank was left out: late",
        "In 3 answers of hybrid the semantic lane was left out: late",
    ]


def test_question_that_is_refused_is_left_out_everywhere() -> None:
    answers, questions = asked(Server(refused=frozenset({"two"})))
    assert list(answers.questions.texts) == ["q1", "q3"]
    assert [list(run.rankings) for run in answers.runs] == [["q1", "q3"], ["q1", "q3"]]
    assert questions.flaws.ids_by_flaw == {"questions that the server refuses (query-too-long)": ["q2"]}


def test_refusal_of_all_questions_is_an_error() -> None:
    with pytest.raises(NothingJudged):
        asked(Server(refused=frozenset(_QUESTIONS.values())))


def test_what_is_no_fault_of_a_question_ends_the_run() -> None:
    with pytest.raises(ServerProblem):
        asked(Server(refused=frozenset({"two"}), status=403))
