"""Sends one file: its bytes only where the server does not have them at that path."""

from collections.abc import Mapping
from typing import Any

from chalicelib.cli.client import Client, Json
from chalicelib.cli.errors import ServerProblem
from chalicelib.cli.fingerprints import FingerprintedFile, read_blocks

DIRECT_BYTES = 1024 * 1024
"""Up to this size asking first costs more than the bytes."""

_QUERY_NAMES = {"tags": "tag", "categories": "category"}


def send_file(
    client: Client, workspace_url: str, file: FingerprintedFile, *, attributes: Mapping[str, Any], is_known: bool
) -> Json:
    """Return the server's answer: `upload`, None where the item at the path holds these bytes already.

    `is_known`: the item there was seen to hold these bytes, so that they need not be sent to find out.
    Raises LorebaseError, OSError.
    """
    if file.size <= DIRECT_BYTES and not is_known:
        content = b"".join(read_blocks(file.file.local, size=file.size))
        query = {_QUERY_NAMES.get(name, name): value for name, value in attributes.items()}
        return client.post(
            f"{workspace_url}/uploads/direct", content=content, path=file.file.path, sha256=file.sha256, **query
        )
    started = _start(client, workspace_url, file, attributes)
    if started["upload"] is None:
        return started
    try:
        _send_bytes(client, started["target"], file)
    except ServerProblem as error:
        if error.answered_status != 403:
            raise
        # The URL expired while the file waited for its turn or its bytes crept.
        started = _start(client, workspace_url, file, attributes)
        _send_bytes(client, started["target"], file)
    return client.post(f"{workspace_url}/uploads/{started['upload']['id']}/complete")


def _start(client: Client, workspace_url: str, file: FingerprintedFile, attributes: Mapping[str, Any]) -> Json:
    body = {"path": file.file.path, "bytes": file.size, "sha256": file.sha256, **attributes}
    return client.post(f"{workspace_url}/uploads", body)


def _send_bytes(client: Client, target: Json, file: FingerprintedFile) -> None:
    client.send_to_store(
        target["method"],
        target["url"],
        headers={**target["headers"], "Content-Length": str(file.size)},
        open_content=lambda: read_blocks(file.file.local, size=file.size),
    )
