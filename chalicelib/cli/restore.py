"""`lorebase restore`: items out of the trash."""

from collections.abc import Sequence

import click

from chalicelib.cli.batch import report, try_each
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.cli.trash_references import find_in_trash


@click.command("restore")
@click.argument("references", metavar="PATH|ITEM_ID...", nargs=-1, required=True)
@click.option("--to", "target", metavar="PATH", help="Restore it to this path instead of where it lay.")
@connected
def command(session: Session, *, references: Sequence[str], target: str | None) -> int:
    """Restore deleted items; of several that lay at one path, the one that was deleted last."""
    if target is not None and len(references) > 1:
        raise click.UsageError("--to takes one item at a time.")
    items = [find_in_trash(session, reference)[0] for reference in references]
    session.say_workspace()
    url, body = f"{session.workspace_url}/trash", {} if target is None else {"path": target.strip("/")}
    batch = try_each(items, lambda item: session.client.post(f"{url}/{item['id']}/restore", body))
    if target is not None:
        batch.done = [{**thing, "note": f"now at {target.strip('/')}"} for thing in batch.done]
    return report(session, batch, done="restored")
