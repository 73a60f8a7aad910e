"""Waits until uploads are extracted and their items indexed, asking for all of them at once."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from chalicelib.cli.client import Client, Json
from chalicelib.cli.errors import ServerProblem
from chalicelib.cli.printing import Stages

_UNFINISHED_UPLOADS = ("pending", "running")
_UNFINISHED_ITEMS = ("pending", "indexing")
_FIRST_WAIT = 0.2
_LONGEST_WAIT = 2.0


@dataclass
class Patience:
    """How long to wait for everything together; `seconds` None waits as long as it takes."""

    seconds: float | None
    now: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    _deadline: float | None = field(init=False)

    def __post_init__(self) -> None:
        self._deadline = None if self.seconds is None else self.now() + self.seconds

    def wait(self, seconds: float) -> bool:
        """Wait a little, never past the end; return False where there is no time left."""
        if self._deadline is None:
            self.pause(seconds)
            return True
        left = self._deadline - self.now()
        if left <= 0:
            return False
        self.pause(min(seconds, left))
        return True


def await_uploads(
    client: Client, workspace_url: str, upload_ids: Collection[str], *, patience: Patience, stages: Stages
) -> Mapping[str, Json]:
    """Return the uploads by id once their extraction has ended, or time is up; one that is gone is missing."""
    url = f"{workspace_url}/uploads"
    _await(
        upload_ids,
        lambda: client.pages(url, "uploads", state=_UNFINISHED_UPLOADS),
        patience=patience,
        show=lambda done: stages.show("extracting", done=done, total=len(upload_ids)),
    )
    return _find_all(client, url, "uploads", upload_ids)


def await_items(
    client: Client,
    workspace_url: str,
    item_ids: Collection[str],
    *,
    changed: Collection[str],
    patience: Patience,
    stages: Stages,
) -> Mapping[str, Json]:
    """Wait until no item is being indexed, or time is up; return the `changed` ones by id, without those gone."""
    url = f"{workspace_url}/items"
    _await(
        item_ids,
        lambda: client.pages(url, "items", index_state=_UNFINISHED_ITEMS),
        patience=patience,
        show=lambda done: stages.show("indexing", done=done, total=len(item_ids)),
    )
    return _find_all(client, url, "items", changed, sort="updated")


def _await(
    ids: Collection[str],
    unfinished_pages: Callable[[], Iterator[list[Json]]],
    *,
    patience: Patience,
    show: Callable[[int], None],
) -> None:
    awaited, pause = set(ids), _FIRST_WAIT
    while awaited:
        left = awaited & {str(thing["id"]) for page in unfinished_pages() for thing in page}
        show(len(awaited) - len(left))
        if not left or not patience.wait(pause):
            return
        pause = min(pause * 1.5, _LONGEST_WAIT)


def _find_all(client: Client, url: str, name: str, ids: Collection[str], **query: str) -> Mapping[str, Json]:
    """Return the things by id: lists come latest first, so that ours are in front; stragglers are asked for singly."""
    missing, found = set(ids), dict[str, Json]()
    for page in client.pages(url, name, **query) if missing else ():
        ours = {str(thing["id"]): thing for thing in page if thing["id"] in missing}
        found |= ours
        missing -= ours.keys()
        if not missing or not ours:
            break
    for entry in missing:
        try:
            found[entry] = client.get(f"{url}/{entry}")
        except ServerProblem as error:
            if error.answered_status != 404:
                raise
    return found
