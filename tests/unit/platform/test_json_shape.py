"""What a language model wrote is held to the schema that it was asked for."""

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.platform.json_shape import UnknownSchema, faults_in, requires_all, without_bounds

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "minLength": 1, "maxLength": 10},
        "terms": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": True},
        "kind": {"enum": ["a", "b", 1]},
        "count": {"type": "integer", "minimum": 0, "maximum": 5},
        "share": {"type": ["number", "null"]},
        "code": {"type": "string", "pattern": "^[A-Z]+$"},
        "is_new": {"type": "boolean"},
    },
    "required": ["summary", "terms"],
    "additionalProperties": False,
}
GOOD: Mapping[str, Any] = {"summary": "short", "terms": ["x"]}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"kind": "b"},
        {"kind": 1},
        {"count": 5},
        {"count": 3.0},
        {"share": None},
        {"share": 0.5},
        {"code": "AB"},
        {"is_new": True},
        {"terms": []},
    ],
)
def test_what_meets_the_schema_has_no_faults(more: Mapping[str, Any]) -> None:
    assert list(faults_in({**GOOD, **more}, SCHEMA)) == []


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ([], "the answer is no object"),
        (None, "the answer is no object"),
        ({"summary": "short"}, "the answer has no terms"),
        ({**GOOD, "more": 1}, "the answer has members that nobody asked for"),
        ({**GOOD, "summary": ""}, "the length of summary of the answer is below 1"),
        ({**GOOD, "summary": "x" * 11}, "the length of summary of the answer is above 10"),
        ({**GOOD, "summary": 3}, "summary of the answer is no string"),
        ({**GOOD, "terms": ["a", 2]}, "entry 1 of terms of the answer is no string"),
        ({**GOOD, "terms": ["a", "b", "c"]}, "the length of terms of the answer is above 2"),
        ({**GOOD, "terms": ["a", "a"]}, "terms of the answer has the same entry twice"),
        ({**GOOD, "kind": True}, "kind of the answer is none of the values to choose from"),
        ({**GOOD, "count": True}, "count of the answer is no integer"),
        ({**GOOD, "count": 1.5}, "count of the answer is no integer"),
        ({**GOOD, "count": 6}, "count of the answer is above 5"),
        ({**GOOD, "count": 10**400}, "count of the answer is above 5"),
        ({**GOOD, "summary": 10**400}, "summary of the answer is no string"),
        ({**GOOD, "count": -1}, "count of the answer is below 0"),
        ({**GOOD, "share": float("nan")}, "share of the answer is no number or null"),
        ({**GOOD, "code": "ab"}, "code of the answer has not the form that was asked for"),
        ({**GOOD, "is_new": 1}, "is_new of the answer is no boolean"),
    ],
)
def test_a_fault_is_named_and_nothing_is_quoted(value: Any, fault: str) -> None:
    assert list(faults_in(value, SCHEMA)) == [fault]


def test_a_constant_is_the_one_value() -> None:
    assert list(faults_in("b", {"const": "a"})) == ["the answer is not the one value that it may have"]


def test_a_keyword_that_nothing_looks_at_is_our_mistake() -> None:
    with pytest.raises(UnknownSchema, match="oneOf"):
        list(faults_in({}, {"oneOf": []}))


def test_bounds_are_left_out_for_providers_and_objects_closed() -> None:
    bare = without_bounds({"type": "object", "properties": {"a": {"type": "array", "maxItems": 3, "items": SCHEMA}}})
    assert bare["additionalProperties"] is False
    inner: Any = bare["properties"]
    assert set(inner["a"]) == {"type", "items"}
    assert inner["a"]["items"]["properties"]["summary"] == {"type": "string"}


def test_a_schema_is_strict_when_it_requires_all() -> None:
    assert not requires_all(SCHEMA)
    assert requires_all({**SCHEMA, "required": list(SCHEMA["properties"])})
    assert not requires_all({"type": "array", "items": SCHEMA})
