"""Holds a JSON value to the part of JSON Schema that we ask language models for (json-schema.org, draft 2020-12).

Providers that constrain what a model writes know parts of it that differ, and some ignore it; so we look ourselves.
"""

import math
import re
from collections.abc import Iterator, Mapping

_KNOWN = frozenset(
    {
        *("type", "enum", "const", "description", "title"),
        *("properties", "required", "additionalProperties", "items", "minItems", "maxItems", "uniqueItems"),
        *("minLength", "maxLength", "pattern", "minimum", "maximum"),
    }
)
# What those do not take who compile a schema to a grammar: platform.openai.com/docs/guides/structured-outputs.
_BOUNDS = frozenset({"minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "minimum", "maximum"})


class UnknownSchema(ValueError):
    """The schema has a keyword that is not looked at here; it is our own mistake."""


def faults_in(value: object, schema: Mapping[str, object], *, at: str = "the answer") -> Iterator[str]:
    """Yield what is wrong with a value, without quoting it. Raises UnknownSchema."""
    if unknown := sorted(set(schema) - _KNOWN):
        raise UnknownSchema(f"{at} is asked for by {', '.join(unknown)}, which nothing looks at")
    kinds = schema.get("type", [])
    names = [kinds] if isinstance(kinds, str) else list(kinds) if isinstance(kinds, list) else []
    if names and not any(_is(value, name) for name in names):
        yield f"{at} is no {' or '.join(map(str, names))}"
        return
    options = schema.get("enum")
    if isinstance(options, list) and not any(_equal(value, option) for option in options):
        yield f"{at} is none of the values to choose from"
    if "const" in schema and not _equal(value, schema["const"]):
        yield f"{at} is not the one value that it may have"
    if isinstance(value, dict):
        yield from _faults_in_object(value, schema, at)
    elif isinstance(value, list):
        yield from _faults_in_list(value, schema, at)
    elif isinstance(value, str):
        yield from _faults_in_text(value, schema, at)
    elif _is(value, "number"):
        yield from _out_of_bounds(value, schema, "minimum", "maximum", at)


def without_bounds(schema: Mapping[str, object]) -> dict[str, object]:
    """Return a schema without bounds of sizes, and with objects closed, for providers that take no other."""
    bare: dict[str, object] = {name: value for name, value in schema.items() if name not in _BOUNDS}
    if isinstance(properties := schema.get("properties"), dict):
        bare["properties"] = {name: without_bounds(inner) for name, inner in properties.items()}
        bare["additionalProperties"] = False
    if isinstance(items := schema.get("items"), dict):
        bare["items"] = without_bounds(items)
    return bare


def requires_all(schema: Mapping[str, object]) -> bool:
    """Tell whether every object of a schema requires each of its properties, as strict providers want it."""
    properties, required, items = schema.get("properties"), schema.get("required"), schema.get("items")
    inner = list(properties.values()) if isinstance(properties, dict) else []
    names = set(properties) if isinstance(properties, dict) else set()
    is_whole = names == set(required if isinstance(required, list) else [])
    return is_whole and all(requires_all(each) for each in [*inner, items] if isinstance(each, dict))


def _faults_in_object(value: Mapping[str, object], schema: Mapping[str, object], at: str) -> Iterator[str]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            yield f"{at} has no {name}"
    if schema.get("additionalProperties") is False and set(value) - set(known):
        yield f"{at} has members that nobody asked for"
    for name, inner in known.items():
        if name in value:
            yield from faults_in(value[name], inner, at=f"{name} of {at}")


def _faults_in_list(value: list[object], schema: Mapping[str, object], at: str) -> Iterator[str]:
    yield from _out_of_bounds(len(value), schema, "minItems", "maxItems", f"the length of {at}")
    if schema.get("uniqueItems") is True and any(_equal(a, b) for n, a in enumerate(value) for b in value[:n]):
        yield f"{at} has the same entry twice"
    items = schema.get("items")
    if isinstance(items, dict):
        for number, entry in enumerate(value):
            yield from faults_in(entry, items, at=f"entry {number} of {at}")


def _faults_in_text(value: str, schema: Mapping[str, object], at: str) -> Iterator[str]:
    yield from _out_of_bounds(len(value), schema, "minLength", "maxLength", f"the length of {at}")
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not re.search(pattern, value):
        yield f"{at} has not the form that was asked for"


def _out_of_bounds(value: object, schema: Mapping[str, object], least: str, most: str, at: str) -> Iterator[str]:
    number = value if isinstance(value, int | float) else 0
    low, high = schema.get(least), schema.get(most)
    if isinstance(low, int | float) and number < low:
        yield f"{at} is below {low}"
    if isinstance(high, int | float) and number > high:
        yield f"{at} is above {high}"


def _is(value: object, name: object) -> bool:
    # An integer of any length is finite, and one of hundreds of digits is no float to ask about.
    is_float = isinstance(value, float) and math.isfinite(value)
    is_number = is_float or (isinstance(value, int) and not isinstance(value, bool))
    return {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "null": value is None,
        "number": is_number,
        "integer": is_number and isinstance(value, int | float) and value == int(value),
    }.get(str(name), False)


def _equal(one: object, other: object) -> bool:
    # In Python True is 1; in JSON it is not.
    return isinstance(one, bool) == isinstance(other, bool) and one == other
