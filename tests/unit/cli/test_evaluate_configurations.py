"""Ways of searching as they are named on the command line."""

import click
import pytest

from chalicelib.cli.client import Json
from chalicelib.cli.evaluate_configurations import configurations_of, modes_of


def test_modes_are_compared_in_the_order_given_and_others_follow() -> None:
    found = configurations_of("hybrid, lexical", ["short:limit=10,mode=lexical"])
    assert [(one.name, one.parameters, one.depth) for one in found] == [
        ("hybrid", {"mode": "hybrid", "limit": 100}, 100),
        ("lexical", {"mode": "lexical", "limit": 100}, 100),
        ("short", {"mode": "lexical", "limit": 10}, 10),
    ]


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("rerank=true,mode=hybrid", "rerank=true,mode=hybrid", {"rerank": True, "mode": "hybrid"}),
        ("a b: mode = lexical ", "a b", {"mode": "lexical"}),
        ('x:filters.tags=["a","b"],filters.folder=hr', "x", {"filters": {"tags": ["a", "b"], "folder": "hr"}}),
        ('x:weights={"lexical": 1, "semantic": 0.5}', "x", {"weights": {"lexical": 1, "semantic": 0.5}}),
        ('x:note="a,b:c"', "x", {"note": "a,b:c"}),
        ("x:", "x", {}),
        ("x:after=2026-01-01", "x", {"after": "2026-01-01"}),
    ],
)
def test_parameters_are_read_as_json_or_else_as_words(text: str, name: str, parameters: Json) -> None:
    (found,) = configurations_of(None, [text])
    assert (found.name, found.parameters) == (name, {"limit": 100, **parameters})


@pytest.mark.parametrize(
    ("compare", "configs"),
    [
        ("best", []),
        ("lexical,", []),
        ("lexical,lexical", []),
        (None, ["a:mode=lexical", "a:mode=hybrid"]),
        (None, ["a:mode"]),
        (None, ["a:=1"]),
        (None, ["a:query=x"]),
        (None, ["a:level=chunk"]),
        (None, ["a:limit=0"]),
        (None, ["a:limit=101"]),
        (None, ["a:limit=many"]),
        (None, ["a:limit=true"]),
        (None, ["a:filters=1,filters.tags=x"]),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(compare: str | None, configs: list[str]) -> None:
    with pytest.raises(click.UsageError):
        configurations_of(compare, configs)


def test_without_a_word_every_mode_of_the_server_is_compared() -> None:
    assert [one.name for one in modes_of(has_embedder=True)] == ["lexical", "semantic", "hybrid"]
    assert [one.name for one in modes_of(has_embedder=False)] == ["lexical"]
