"""What an operator chose and cannot have, in words that say which field it is and what fits there."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

_NOT_A_LIST = frozenset({"tuple_type", "list_type"})
_NOT_A_TABLE = frozenset({"model_type", "model_attributes_type", "dict_type", "mapping_type"})
_OWN_WORDS = "Value error, "


class WrongChoice(ValueError):
    """The choices make no stage. The message is for the operator."""


def wrong_choice(error: ValidationError, model: type[BaseModel]) -> WrongChoice:
    """Return the refusal of choices for `model`, with every fault in it."""
    return WrongChoice("; ".join(_fault(fault, model) for fault in error.errors()))


def unknown_field(name: str, known: Sequence[str]) -> str:
    """Say that a field does not exist, and which one may have been meant."""
    alike = get_close_matches(name.rpartition(".")[2], known, n=1)
    return f"there is no field {name}; " + (f"did you mean {alike[0]}?" if alike else "docs/aws.md lists all of them")


def _fault(fault: Any, model: type[BaseModel]) -> str:  # noqa: ANN401 - a dictionary of pydantic's
    name = ".".join(str(part) for part in fault["loc"])
    kind = fault["type"]
    if kind == "extra_forbidden":
        return unknown_field(name, _fields_around(fault["loc"], model))
    if kind == "missing":
        return f"{name} is missing"
    if kind in _NOT_A_LIST:
        reason = "it must be a list, given as JSON on the command line"
    elif kind in _NOT_A_TABLE:
        reason = "it must be a table, given as JSON on the command line"
    elif kind == "string_pattern_mismatch":
        reason = f"{fault['input']!r} does not have the form that docs/aws.md says"
    elif fault["msg"].startswith(_OWN_WORDS):
        reason = fault["msg"].removeprefix(_OWN_WORDS)
    else:
        reason = f"{fault['msg'].replace('Input', 'it', 1)}, and is {fault['input']!r}"
    return f"{name}: {reason}" if name else reason


def _fields_around(location: Sequence[int | str], model: type[BaseModel]) -> Sequence[str]:
    """Return the fields of the table in which the last part of the location stands."""
    for part in location[:-1]:
        annotation = model.model_fields[str(part)].annotation
        inner = [each for each in getattr(annotation, "__args__", (annotation,)) if isinstance(each, type)]
        model = next(each for each in inner if issubclass(each, BaseModel))
    return list(model.model_fields)
