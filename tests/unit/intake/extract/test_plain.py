from pathlib import Path

import pytest

from tests.fixtures.documents import read


def test_text_and_source_are_taken_verbatim(tmp_path: Path) -> None:
    code = "def f():\n\treturn '# no heading'\n"
    assert read(tmp_path / "a.py", code).body == code


def test_broken_json_is_kept_and_named_and_json_lines_are_fine(tmp_path: Path) -> None:
    broken = read(tmp_path / "a.json", '{"a": 1,}')
    assert (broken.body, [each.code for each in broken.warnings]) == ('{"a": 1,}', ["json_broken"])
    assert read(tmp_path / "a.jsonl", '{"a": 1}\n{"a": 2}\n').warnings == ()


@pytest.mark.parametrize("content", ["[" * 1_000_000, "9" * 1_000_000])
def test_json_that_python_cannot_hold_is_kept(tmp_path: Path, content: str) -> None:
    assert [each.code for each in read(tmp_path / "a.json", content).warnings] == ["json_broken"]


def test_a_guessed_charset_is_told(tmp_path: Path) -> None:
    found = read(tmp_path / "a.txt", "Grüße aus Köln".encode("cp1252"))
    assert (found.body, found.charset) == ("Grüße aus Köln", "cp1252")
    assert [each.code for each in found.warnings] == ["charset_guessed"]
