"""The `lorebase` command: finds the subcommand, and turns what it raises into a message and an exit code."""

import contextlib
import importlib
import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence

import click

from chalicelib.cli.errors import INCOMPLETE, INTERRUPTED, OK, document_of, exit_code_of
from chalicelib.cli.options import global_options
from chalicelib.cli.own_version import tell_version
from chalicelib.cli.text import as_json, harmless
from chalicelib.errors import LorebaseError

# Loaded when they are run, so that help and completion come at once.
_COMMANDS: Mapping[str, tuple[str, str]] = {
    "serve": ("serve_command", "Run everything in the foreground on this machine."),
    "upload": ("upload", "Upload files and folders."),
    "search": ("search", "Find passages that answer a question."),
    "list": ("listing", "List items."),
    "tree": ("tree", "Show a folder's subfolders and items."),
    "show": ("show", "Show one item."),
    "status": ("status", "Show how far the workspace is searchable, and what failed."),
    "delete": ("delete", "Delete items."),
    "trash": ("trash", "List what was deleted, or empty the trash."),
    "restore": ("restore", "Restore deleted items."),
    "move-folder": ("move_folder", "Move or rename a folder."),
    "retry": ("retry", "Try again what failed."),
    "jobs": ("jobs", "See, cancel and redrive promised work."),
    "activity": ("activity", "Show who did what, and take it along."),
    "recover-key": ("recover_key", "Make an admin's key when the last one is lost, on the server's machine."),
    "keys": ("keys", "List, create, rotate and revoke API keys."),
    "workspaces": ("workspaces", "List and create workspaces."),
    "members": ("members", "List, add, invite, place and delete members."),
    "invitations": ("invitations", "List, accept and revoke invitations."),
    "teams": ("teams", "List, make and fill teams of users."),
    "environments": ("environments", "List, create and delete environments of agents."),
    "identity-providers": ("identity_providers", "Say whose tokens are taken, and try a token."),
    "access": ("access", "Say and see who may read items and folders, and why."),
    "grant": ("grants_given", "Let teams and members read or write an item or a folder."),
    "grants": ("grants", "List the grants on an item or a folder."),
    "revoke": ("grants_taken", "Take grants away."),
    "knowledge-bases": ("knowledge_bases", "List, make, fill and share knowledge bases."),
    "citations": ("citations", "Show what an item was cited by, and what a consumer cited."),
    "evaluate": ("evaluate", "Measure how well searches answer questions whose answers are known."),
    "contexts": ("contexts", "Have documents described by a language model for search."),
    "usage": ("usage", "Show what models used in a month, and what it cost."),
    "budget": ("budget", "Say what models may use in a month."),
    "embedding": ("embedding", "Change the model that search by meaning goes by."),
    "reindex": ("reindex", "Index again what another chunker or analysis made."),
    "version": ("version", "Show the versions of the command and the server."),
}

_SIGPIPE_CODE = 128 + int(getattr(signal, "SIGPIPE", 13))


class ReaderGone(Exception):
    """Whoever read our output has seen enough. No OSError, since click answers a broken pipe by exit code 1."""


@contextlib.contextmanager
def _broken_pipe_past_click() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


class LazyGroup(click.Group):
    """A group that imports a subcommand's module (attribute `command`) only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  the signature is click's
        """Return the names in the order of their use."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  as above
        """Import a subcommand."""
        if cmd_name not in _COMMANDS:
            return None
        command = importlib.import_module(f"chalicelib.cli.{_COMMANDS[cmd_name][0]}").command
        return command if isinstance(command, click.Command) else None

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Parse the arguments; that prints the help. Raises ReaderGone."""
        with _broken_pipe_past_click():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand. Raises ReaderGone."""
        with _broken_pipe_past_click():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  as above
        """Write the list of subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=tell_version, help="Show the version."
)
@global_options
@click.pass_context
def lorebase(context: click.Context, /, **given: object) -> None:
    """Put documents in, and find them as ranked, cited passages.

    Exit codes: 0 done; 1 something was refused or failed, the rest is done; 2 wrong usage; 3 not found;
    4 not authorised; 5 server out of reach; 130 interrupted; 141 the reader of the output went away.
    """
    context.obj = given


def main() -> None:
    """Run the command with the process's arguments, and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code. Errors go to stderr: a sentence, or with `--json` a document."""
    wants_json = "--json" in arguments
    try:
        code = lorebase.main(args=list(arguments), prog_name="lorebase", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        _complain_of_usage(error, wants_json=wants_json)
        return error.exit_code
    except LorebaseError as error:
        _complain(error, wants_json=wants_json)
        return exit_code_of(error)
    except (KeyboardInterrupt, click.Abort):
        click.echo("lorebase: interrupted", err=True)
        return INTERRUPTED
    except (BrokenPipeError, ReaderGone):
        # Nothing may be flushed into the pipe at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _SIGPIPE_CODE
    return code if isinstance(code, int) else OK


def _complain(error: LorebaseError, *, wants_json: bool) -> None:
    if wants_json:
        click.echo(as_json(document_of(error)), err=True)
        return
    click.echo(f"lorebase: {harmless(error.detail)}", err=True)


def _complain_of_usage(error: click.ClickException, *, wants_json: bool) -> None:
    if not wants_json or error.exit_code == INCOMPLETE:
        error.show(sys.stderr)
        return
    document = {
        "type": "urn:lorebase:problem:wrong-usage",
        "title": "The command was called wrongly",
        "status": 400,
        "detail": error.format_message(),
    }
    click.echo(as_json(document), err=True)
