"""The options that every subcommand takes, before or after its name."""

import functools
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from chalicelib.cli.session import Session

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

_NAMES = ("endpoint", "key", "workspace", "on_behalf_of", "simulate_as", "json")


def global_options(function: _Decorated) -> _Decorated:
    """Add `--endpoint`, `--key`, `--workspace`, `--on-behalf-of`, `--simulate-as` and `--json`."""
    for option in (
        click.option("--json", "json", is_flag=True, help="Print JSON."),
        click.option("--simulate-as", metavar="MEMBER", help="Show what this member sees; for admins, to read alone."),
        click.option("--on-behalf-of", metavar="USER", help="Act for this user; for keys of agents and services."),
        click.option("--workspace", metavar="SLUG|ID", help="Which workspace; by default the oldest you can reach."),
        click.option("--key", metavar="KEY", help="The API key; better set as LOREBASE_KEY."),
        click.option("--endpoint", metavar="URL", help="Where the API is; by default the server on this machine."),
    ):
        function = option(function)
    return function


def connected(run: "Callable[..., int | None]") -> Callable[..., int | None]:
    """Make `run(session, **options)` the callback of a subcommand; it returns the exit code, None for success."""

    @global_options
    @click.pass_context
    @functools.wraps(run)
    def callback(context: click.Context, /, **options: object) -> int | None:
        with _open_session(context, {name: options.pop(name) for name in _NAMES}) as session:
            return run(session, **options)

    return callback


def choice_of(words: type[StrEnum]) -> click.Choice[str]:
    """Return the type of an option that takes one of an enumeration's values."""
    return click.Choice([word.value for word in words])


def _open_session(context: click.Context, given: dict[str, Any]) -> "Session":
    from chalicelib.cli.session import open_session  # noqa: PLC0415  it loads the HTTP client, which help can do without

    before = context.find_root().obj or {}
    # An empty key is told apart from none; for the flag, None is not given.
    merged = {name: before.get(name) if given[name] in (None, False) else given[name] for name in _NAMES}
    return open_session(
        endpoint=merged["endpoint"],
        key=merged["key"],
        workspace=merged["workspace"],
        on_behalf_of=merged["on_behalf_of"],
        simulate_as=merged["simulate_as"],
        wants_json=bool(merged["json"]),
    )
