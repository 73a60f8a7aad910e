"""Environment variables of functions, by the names that chalicelib.settings reads."""

import json
from collections.abc import Mapping

from chalicelib.settings import Settings

_PREFIX = Settings.model_config["env_prefix"]


def environment_of(**settings: object) -> Mapping[str, str]:
    """Return variables for settings given by name. Raises KeyError for what is no setting."""
    return {_variable(name): _text(value) for name, value in settings.items()}


def _variable(name: str) -> str:
    if name not in Settings.model_fields:
        raise KeyError(f"{name} is no setting")
    return f"{_PREFIX}{name.upper()}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
