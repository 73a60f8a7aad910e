"""Asks whoever sits at the terminal before something is done that cannot be undone."""

import sys

import click


def ask(question: str) -> None:
    """Go on after a yes. Raises click.Abort after a no, and click.UsageError where nobody can be asked."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"Say --yes: nobody can be asked here. {question}")
    click.confirm(question, abort=True, err=True)
