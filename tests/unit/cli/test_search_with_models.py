"""The journey with models of a provider: documents described, questions worded anew, hits judged, tokens counted."""

import json

from tests.fixtures.model_server import KEY, ModelServer
from tests.fixtures.served import CommandLine, running

BODY = "# Terms\n\nNotice is three months.\n"


def told_of(models: ModelServer, ending: str) -> list[str]:
    """Return what was sent to a path, each request as text."""
    return [json.dumps(each.body) for each in models.asked if each.path.endswith(ending)]


def test_models_of_a_provider_serve_searches(command_line: CommandLine, conninfo: str, models: ModelServer) -> None:
    (command_line.cwd / "a.md").write_text(BODY)
    (command_line.cwd / "b.md").write_text("# Bees\n\nOf hives.\n")
    environment = {
        "LOREBASE_DATABASE_URL": conninfo,
        "LOREBASE_LANGUAGE_MODEL": "here:writer",
        "LOREBASE_RERANKER": "here:judge",
        "LOREBASE_MODEL_ENDPOINTS": f"here={models.openai_url}",
        "LOREBASE_MODEL_KEYS": f"here={KEY}",
    }
    with running(command_line, **environment):
        assert command_line.run("upload", "a.md", "b.md").code == 0
        assert told_of(models, "/chat/completions") == []
        models.served.written = [{"summary": "About Zelda Quimby, bees and hives."}] * 2
        switched = command_line.run("contexts", "on", "--yes", "--json")
        assert (switched.code, switched.json["model"]) == (0, "here/writer")
        for _ in range(100):
            hits = command_line.run("search", "Quimby", "--mode", "lexical", "--json").json["hits"]
            if len(hits) == 2:
                break
        assert {hit["path"] for hit in hits} == {"a.md", "b.md"}
        assert "Quimby" not in json.dumps(hits)

        models.served.written = [{"reformulations": ["period of notice", "three months"]}]
        asked = command_line.run("search", "notice months", "--mode", "lexical", "--expand", "--rerank", "--json").json
        assert {name: stage["state"] for name, stage in asked["stages"].items()} == {"expansion": "ok", "rerank": "ok"}
        assert [hit["path"] for hit in asked["hits"]] == ["a.md"]

        models.served.written = [
            {"reformulations": ["period of notice", "three\u202e months?"]},
            {"reformulations": []},
        ]
        explained = ("search", "notice months", "--mode", "lexical", "--expand", "--explain")
        assert command_line.run(*explained).err == 'Looked for as well: "period of notice", "three months?"\n'
        assert command_line.run(*explained).err == "The language model gave no other wording of use.\n"
        models.served.written = [{"reformulations": ["period of notice"]}]
        assert command_line.run(*explained[:-1]).err == ""
        [judged] = told_of(models, "/rerank")
        assert "Notice is three months." in judged
        assert "Zelda" not in judged
