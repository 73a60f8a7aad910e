"""`lorebase access list` and `forget`: the folders about which something is said, and saying no more about one."""

import click

from chalicelib.cli.access_set import told_audience
from chalicelib.cli.access_subjects import known_folder
from chalicelib.cli.asking import ask
from chalicelib.cli.client import Json
from chalicelib.cli.errors import NothingAtPath
from chalicelib.cli.options import connected
from chalicelib.cli.parallel import each_in_parallel
from chalicelib.cli.session import Session, is_id

SILENT: Json = {"audience": None, "inherits": True, "is_restricted": False, "environment": None}
"""What is said where nothing is said."""
_JOBS = 4


@click.command("list")
@connected
def list_access(session: Session) -> None:
    """List the folders about which something is said, and what; for owners."""
    url = f"{session.workspace_url}/folders"
    folders = [folder for page in session.client.pages(url, "folders") for folder in page]

    def said_of(folder: Json) -> Json:
        grants = [grant for page in session.client.pages(f"{url}/{folder['id']}/grants", "grants") for grant in page]
        return {**folder, **session.client.get(f"{url}/{folder['id']}/access"), "grants": len(grants)}

    found = []
    for _, said in each_in_parallel(said_of, folders, jobs=_JOBS):
        if not isinstance(said, dict):
            raise said
        if said["grants"] or any(said[name] != value for name, value in SILENT.items()):
            found.append(said)
    found.sort(key=lambda said: str(said["path"]))
    session.printer.json({"folders": found})
    session.printer.table(
        ["PATH", "AUDIENCE", "INHERITS", "RESTRICTED", "ENVIRONMENT", "GRANTS", "ID"],
        [] if session.printer.wants_json else [_row_of(session, said) for said in found],
    )
    if not found:
        session.printer.remark("Nothing is said about any folder.")


@click.command("forget")
@click.argument("reference", metavar="FOLDER|ID")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connected
def forget_access(session: Session, *, reference: str, yes: bool) -> None:
    """Forget what is said about a folder and the grants on it: what holds above it holds in it."""
    url = f"{session.workspace_url}/folders"
    path = reference.strip("/")
    known = session.client.get(f"{url}/{reference}") if is_id(reference) else known_folder(session, path)
    if known is None:
        raise NothingAtPath(f"Nothing is said about {path}/; `lorebase access list` shows the folders.", path=path)
    if not yes:
        ask(f"Forget all that is said about {known['path']}/, its grants included?")
    session.client.delete(f"{url}/{known['id']}")
    session.printer.json({"forgotten": known["path"], "id": known["id"]})
    session.printer.line(f"forgotten  {known['path']}/")


def _row_of(session: Session, said: Json) -> list[str]:
    return [
        f"{said['path']}/",
        told_audience(session, said["audience"]) if said["audience"] else "",
        "yes" if said["inherits"] else "no",
        "yes" if said["is_restricted"] else "no",
        said["environment"] or "",
        str(said["grants"]),
        said["id"],
    ]
