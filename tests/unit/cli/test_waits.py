"""The command says what items wait for that are found by their words so far."""

from tests.fixtures.model_server import KEY, ModelServer
from tests.fixtures.served import CommandLine, running


def test_a_spent_budget_is_said_where_it_is_waited_for(
    command_line: CommandLine, conninfo: str, models: ModelServer
) -> None:
    for name in "ab":
        (command_line.cwd / f"{name}.md").write_text(f"# {name}\n\nA sentence.\n")
    environment = {
        "LOREBASE_DATABASE_URL": conninfo,
        "LOREBASE_EMBEDDERS": '["here:embedder@8"]',
        "LOREBASE_MODEL_ENDPOINTS": f"here={models.openai_url}",
        "LOREBASE_MODEL_KEYS": f"here={KEY}",
    }
    with running(command_line, **environment):
        assert command_line.run("budget", "set", "--here", "--tokens", "0").code == 0
        sent = command_line.run("upload", "a.md", "b.md")
        status = command_line.run("status").out
        [wait] = command_line.run("status", "--json").json["waits"]
    why = wait["detail"]
    assert (wait["type"], wait["count"], "budget for models" in why) == ("urn:lorebase:problem:budget-spent", 2, True)
    assert f"waits  2 files, found by words until vectors come: {why}\n2 added" in sent.out
    assert f"waiting  2 for their vectors: {why}\n" in status
