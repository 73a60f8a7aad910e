"""The command shows what descriptions take, and refuses them where there is no language model."""

from tests.fixtures.served import CommandLine


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
