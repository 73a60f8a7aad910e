"""`lorebase status`: how far the workspace is searchable, and what failed."""

import click

from chalicelib.cli.client import Json
from chalicelib.cli.options import connected
from chalicelib.cli.printing import Printer
from chalicelib.cli.session import Session
from chalicelib.cli.text import size_of


@click.command("status")
@connected
def command(session: Session) -> None:
    """Show how far the workspace is searchable, and what failed and why."""
    status = session.client.get(f"{session.workspace_url}/status")
    printer = session.printer
    session.say_workspace()
    printer.json(status)
    # Jobs are for those who may operate them: to others the server counts none, not even zero.
    for name in ("items", "uploads", *(("jobs",) if status["jobs"] else ())):
        counts = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in status[name].items() if count)
        printer.line(f"{name:<8} {counts or 'none'}")
    printer.line(f"{'space':<8} {status['embedding_space'] or 'none: search is lexical alone'}")
    if status["missing_embedding_space"]:
        printer.line(f"         {status['missing_embedding_space']} is not offered here any more")
    if status["better_embedding_space"]:
        printer.remark(
            f"The default here is another space: `lorebase embedding change {status['better_embedding_space']}`,"
            " for admins."
        )
    for name, use in status["usage"].items():
        shown = size_of if name.endswith("bytes") else str
        printer.line(f"{'usage':<8} {name.replace('_', ' ')}: {shown(use['used'])} of {shown(use['limit'])}")
    _show_reasons(printer, status)
    if status["failures"] and status["usage"]:  # whoever may write sees the use
        printer.remark(
            "Mend the documents and upload them again, or try again as they are: `lorebase retry PATH --wait`"
            " or `lorebase retry --all-failed --wait`."
        )


def _show_reasons(printer: Printer, status: Json) -> None:
    """Show what holds no text, what is waited for, and what failed."""
    without_text = status["without_text"]
    if without_text["count"]:
        printer.line(f"no text  {without_text['count']}: {without_text['detail']}")
        for example in without_text["examples"]:
            printer.line(f"         {example['path']}")
    for wait in status.get("waits", ()):
        printer.line(f"waiting  {wait['count']} for their vectors: {wait['detail']}")
    for failure in status["failures"]:
        printer.line(f"failed   {failure['title']} ({failure['count']})")
        for example in failure["examples"]:
            printer.line(f"         {example['path']}: {example['detail']}")
