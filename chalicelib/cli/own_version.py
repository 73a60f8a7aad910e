"""The version of the command itself, which takes no server and no library to tell."""

import click


def own_version() -> str:
    """Return the version that is installed, "0" where none is."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  help can do without

    try:
        return version("lorebase")
    except PackageNotFoundError:
        return "0"


def tell_version(context: click.Context, _option: click.Parameter, wanted: object) -> None:
    """Print it and end, as the callback of `--version`."""
    if wanted and not context.resilient_parsing:
        click.echo(f"lorebase {own_version()}")
        context.exit()
