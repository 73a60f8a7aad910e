"""Reads which ways of searching are to be compared."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from chalicelib.cli.client import Json
from chalicelib.cli.text import harmless
from chalicelib.knowledge_bases.model import Mode
from chalicelib.knowledge_bases.settings import MOST_HITS

_OURS = frozenset({"query", "level"})
_NAMED = re.compile(r"([^:=,]+):(.*)", re.DOTALL)
_PARAMETER = re.compile(r"[a-z_]+(\.[a-z_]+)*")


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way of searching: a name, and what a request says beside its question."""

    name: str
    parameters: Json

    @property
    def depth(self) -> int:
        """How many places it is asked for."""
        return int(self.parameters["limit"])


def configurations_of(compare: str | None, configs: Sequence[str]) -> Sequence[Configuration]:
    """Return what is to be compared, each with a name of its own. Raises click.UsageError."""
    found = [_of_mode(mode) for mode in _modes(compare)] if compare else []
    found += [_read(text) for text in configs]
    names = [configuration.name for configuration in found]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"Two configurations are called {harmless(name)}; give each a name of its own.")
    return found


def modes_of(*, has_embedder: bool) -> Sequence[Configuration]:
    """Return a configuration for every mode that a server has."""
    return [_of_mode(mode) for mode in (Mode.LEXICAL, Mode.SEMANTIC, Mode.HYBRID) if has_embedder or mode == "lexical"]


def _modes(compare: str) -> Sequence[Mode]:
    try:
        return [Mode(word.strip()) for word in compare.split(",")]
    except ValueError as error:
        known = ", ".join(mode.value for mode in Mode)
        raise click.BadParameter(f"{harmless(str(error))}; there are {known}.", param_hint="--compare") from error


def _of_mode(mode: Mode) -> Configuration:
    return Configuration(mode.value, {"limit": MOST_HITS, "mode": mode.value})


def _read(text: str) -> Configuration:
    named = _NAMED.fullmatch(text)
    name, settings = (named[1].strip(), named[2]) if named else (text, text)
    parameters: Json = {"limit": MOST_HITS}
    for setting in _split(settings):
        parameter, equals, value = setting.partition("=")
        parameter = parameter.strip()
        if not equals or not _PARAMETER.fullmatch(parameter):
            raise _wrong(f"{harmless(setting)!r} is no PARAMETER=VALUE")
        if parameter in _OURS:
            raise _wrong(f"{parameter} is not yours to set: each question is asked once for whole items")
        _put(parameters, parameter.split("."), _value(value.strip()))
    limit = parameters["limit"]
    if type(limit) is not int or not 1 <= limit <= MOST_HITS:
        raise _wrong(f"limit is a whole number from 1 to {MOST_HITS}")
    return Configuration(name or text, parameters)


def _split(settings: str) -> Sequence[str]:
    """Split at commas, but not within brackets or quotes."""
    parts, depth, quoted = [""], 0, False
    for character in settings:
        if character == '"':
            quoted = not quoted
        elif not quoted:
            depth += (character in "[{") - (character in "]}")
        if character == "," and depth <= 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _put(parameters: Json, names: Sequence[str], value: object) -> None:
    *above, last = names
    for name in above:
        parameters = parameters.setdefault(name, {})
        if not isinstance(parameters, dict):
            raise _wrong(f"{'.'.join(names)} is within what has a value already")
    parameters[last] = value


def _value(text: str) -> Any:  # noqa: ANN401  any JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _wrong(what: str) -> click.BadParameter:
    return click.BadParameter(f"{what}.", param_hint="--config")
