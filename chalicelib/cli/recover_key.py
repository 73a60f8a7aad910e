"""`lorebase recover-key`: back in after the last admin's key was lost, for whoever owns the data folder."""

from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import click

from chalicelib.cli.errors import NothingInFolder
from chalicelib.cli.options import connected
from chalicelib.cli.session import Session
from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.identity.model import OrganizationId
from chalicelib.identity.recover_admin_key import RecoveredKey, recover_admin_key
from chalicelib.platform.generated_secrets import read_or_create
from chalicelib.platform.local.data_folder import DataFolder
from chalicelib.platform.local.durable_files import write_private_file
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.local.secrets import LocalSecrets
from chalicelib.settings import Settings


@click.command("recover-key")
@click.option("--organization", "organization_id", type=click.UUID, help="Of which organization, if there are several.")
@click.option("--keep", is_flag=True, help="Also put it into the data folder, as the key that commands here ask with.")
@connected
def command(session: Session, *, organization_id: UUID | None, keep: bool) -> None:
    """Make a key for an admin when the last one is lost; it is printed this once.

    Works on the data folder (LOREBASE_HOME) and its database, whether the server runs or not, and asks for no key:
    whoever may enter the folder has everything in it. Keys that exist stay.
    """
    folder = DataFolder(session.settings.data_folder)
    named = None if organization_id is None else OrganizationId(organization_id)
    recovered = _recover(session.settings, folder, named, keep_in=folder.owner_key if keep else None)
    session.printer.json(
        {
            "organization_id": str(recovered.organization.id),
            "member_id": str(recovered.member_id),
            "api_key_id": str(recovered.api_key_id),
            "token": recovered.token,
        }
    )
    session.printer.line(recovered.token)
    session.printer.remark(
        f"A key of {recovered.member_name}, admin of {recovered.organization.name}. Revoke what was lost:"
        " lorebase keys list, lorebase keys revoke ID."
    )


def _recover(
    settings: Settings, folder: DataFolder, organization_id: OrganizationId | None, *, keep_in: Path | None
) -> RecoveredKey:
    # Neither a folder nor a secret store may come into being here: their keys would open nothing.
    if not folder.secrets.is_dir() or not (settings.database_url or folder.postgres.is_dir()):
        raise NothingInFolder(f"No server has ever run on the data folder {folder.root}; set LOREBASE_HOME to it.")
    pepper = read_or_create(LocalSecrets(folder.secrets), "api-key-pepper").encode()

    def keep(recovered: RecoveredKey) -> None:
        if keep_in is not None:
            write_private_file(keep_in, [recovered.token.encode()])

    with ExitStack() as stack:
        conninfo = settings.database_url or stack.enter_context(start_postgres(folder.postgres)).conninfo
        migrate(conninfo)
        database = Database(conninfo, pool_size=1)
        stack.callback(database.close)
        with database.transaction() as tx:
            return recover_admin_key(tx, organization_id=organization_id, pepper=pepper, keep=keep)
