"""The command shows what descriptions take, and refuses them where there is no language model."""

import re

from tests.fixtures.model_server import KEY, ModelServer
from tests.fixtures.served import CommandLine, running


def test_they_are_shown_and_refused_without_a_language_model(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nA sentence.\n")
    assert served.run("upload", "a.md").code == 0
    shown = served.run("contexts", "status")
    assert shown.code == 0
    assert shown.out.splitlines()[:3] == ["contexts   off", "model      none", "described  0 of 1 documents"]
    assert "tokens read and 90 written by the language model" in shown.out
    refused = served.run("contexts", "on", "--yes", "--json")
    assert (refused.code, refused.problem["type"]) == (1, "urn:lorebase:problem:no-language-model")
    unasked = served.run("contexts", "on")
    assert (unasked.code, "No language model is configured here" in unasked.err) == (1, True)
    off = served.run("contexts", "off", "--json")
    assert (off.code, off.json["on"]) == (0, False)


def test_what_it_takes_is_told_rounded_and_where_somebody_asks(
    command_line: CommandLine, conninfo: str, models: ModelServer
) -> None:
    (command_line.cwd / "a.md").write_text("# A\n\nA sentence.\n")
    environment = {
        "LOREBASE_DATABASE_URL": conninfo,
        "LOREBASE_LANGUAGE_MODEL": "here:writer",
        "LOREBASE_MODEL_ENDPOINTS": f"here={models.openai_url}",
        "LOREBASE_MODEL_KEYS": f"here={KEY}",
        "LOREBASE_MODEL_PRICES": '{"here/writer": {"input": 2345.678, "output": 3}}',
        "LOREBASE_CURRENCY": "EUR",
    }
    with running(command_line, **environment):
        assert command_line.run("upload", "a.md").code == 0
        exact = command_line.run("contexts", "status", "--json").json["estimate"]["money"]
        [shown] = re.findall(r": ([\d.]+) EUR", command_line.run("contexts", "status").out)
        assert command_line.run("budget", "set", "--here", "--tokens", "1").code == 0
        assert "budget would not suffice" in command_line.run("contexts", "status").err
        off = command_line.run("contexts", "off")
    assert (off.code, off.err, "the rest" in off.out) == (0, "Workspace: main\n", False)
    assert (len(exact) > len(shown), shown) == (True, f"{float(exact):.2f}")
