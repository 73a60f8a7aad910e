"""What is done in a town, by whom ever: each deed is done by the program, and foretold by the model."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from chalicelib.database.statements import Statement
from chalicelib.errors import Conflict, Forbidden, LorebaseError, NotFound
from chalicelib.identity.model import KeyScope
from chalicelib.index.swap import remove_from_index
from chalicelib.intake.change_upload import releasing_uploads
from chalicelib.intake.model import UploadRequest
from chalicelib.intake.receive_upload import receive_upload
from chalicelib.intake.restore_item import restore_item
from chalicelib.items.change_item import change_item, delete_item
from chalicelib.items.create_item import create_item
from chalicelib.items.model import Attributes, Draft
from tests.access.model import Said, readers
from tests.access.town import Asker, Resident, Room, Thing, Town

FOLDERS = ("", "p", "p/c", "p/c/g", "pp", "q")
NAMES = ("a.md", "b.md")
_MOMENTS = count(1)
_ITEM_OF_UPLOAD = Statement(
    "item_of_upload", "Read which item an upload became.", b"select item_id from uploads where id = %(upload_id)s"
)

DONE, ABSENT, FORBIDDEN, TAKEN, REFUSED = "done", "absent", "forbidden", "taken", "refused"


def verdict(town: Town, asker: Asker, deed: Callable[..., Any], **arguments: Any) -> tuple[str, Any]:
    """Let somebody do something, and return how it ended."""
    try:
        with town.database.transaction() as tx:
            return DONE, deed(tx, principal=asker.principal(tx, town), **arguments)
    except NotFound:
        return ABSENT, None
    except Forbidden:
        return FORBIDDEN, None
    except Conflict:
        return TAKEN, None
    except LorebaseError:
        return REFUSED, None


def path_of(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


@dataclass(frozen=True)
class Deeds:
    """All deeds; each fails the test where the program decides otherwise than the model."""

    town: Town

    def create(self, asker: Asker, room: Room, folder: str, name: str) -> None:
        path = path_of(folder, name)
        kept = _kept(room, path, asker.who)
        thing = Thing(None, path, kept)
        ended, item = verdict(
            self.town, asker, create_item, workspace_id=room.id, draft=_draft(thing), rules=self._items
        )
        if not asker.role(room):
            expected = ABSENT
        elif not asker.writes(room, room.way(path)):
            expected = FORBIDDEN
        elif room.at(path):
            expected = TAKEN
        else:
            expected = DONE if asker.reads(room, room.way(path, kept)) else FORBIDDEN
        assert ended == expected, f"create {path} by {asker}"
        if item:
            thing.item_id = item.id
            room.things.append(thing)

    def upload(self, asker: Asker, room: Room, folder: str, name: str) -> None:
        """An upload comes to its path, as the item there or a new one, once its job is done."""
        path = path_of(folder, name)
        thing = room.at(path)
        is_hidden = thing is not None and not asker.reads(room, room.way(path, thing.said))
        target = thing or Thing(None, path, _kept(room, path, asker.who))
        ended, upload = verdict(
            self.town,
            asker,
            receive_upload,
            workspace_id=room.id,
            request=UploadRequest(path=path, filename=name, attributes={"tags": ["common", target.word]}),
            content=f"# Title {target.word}\n\nalpha {target.word} {next(_MOMENTS)}".encode(),
            rules=self.town.lorebase.wired.intake_rules,
            now=self.town.lorebase.clock.now(),
        )
        own = thing.said if thing and not is_hidden else None
        expected = FORBIDDEN if asker.role(room) else ABSENT
        if asker.writes(room, room.way(path)) and asker.writes(room, room.way(path, own)):
            expected = TAKEN if is_hidden else DONE
        assert ended == expected, f"upload {path} by {asker}"
        if ended == DONE:
            self.town.lorebase.drain()
            with self.town.database.transaction() as tx:
                row = tx.fetch_one(_ITEM_OF_UPLOAD, upload_id=upload.id)
            assert row is not None
            target.item_id, target.revisions = row["item_id"], target.revisions + (thing is not None)
            room.uploads[upload.id], room.arrived_at[upload.id] = target, path
            if thing is None:
                room.things.append(target)

    def change(self, asker: Asker, room: Room, thing: Thing) -> None:
        ended, _ = self._changed(asker, room, thing, lambda draft: replace(draft, body=f"{draft.body} again"))
        assert ended == self._writing(asker, room, thing), f"change {thing.path} by {asker}"
        thing.revisions += ended == DONE

    def move(self, asker: Asker, room: Room, thing: Thing, folder: str) -> None:
        path = path_of(folder, thing.path.rpartition("/")[2])
        ended, _ = self._changed(asker, room, thing, lambda draft: replace(draft, path=path))
        expected = self._writing(asker, room, thing)
        if expected == DONE and path != thing.path:
            if not self._may_put(asker, room, path, thing):
                expected = FORBIDDEN
            elif room.at(path):
                expected = TAKEN
        assert ended == expected, f"move {thing.path} to {path} by {asker}"
        if ended == DONE and path != thing.path:
            thing.path, thing.revisions = path, thing.revisions + 1

    def delete(self, asker: Asker, room: Room, thing: Thing) -> None:
        ended, _ = verdict(
            self.town,
            asker,
            delete_item,
            workspace_id=room.id,
            item_id=thing.id,
            expected_revision=None,
            rules=self._items,
            remove_from_index=releasing_uploads(remove_from_index),
        )
        assert ended == self._writing(asker, room, thing), f"delete {thing.path} by {asker}"
        if ended == DONE:
            thing.deleted = next(_MOMENTS)

    def restore(self, asker: Asker, room: Room, thing: Thing, folder: str | None) -> None:
        """Restore a thing to where it lay, or into another folder."""
        path = thing.path if folder is None else path_of(folder, thing.path.rpartition("/")[2])
        ended, _ = verdict(
            self.town, asker, restore_item, workspace_id=room.id, item_id=thing.id, path=path, rules=self._items
        )
        way = room.way(thing.path, thing.said)
        if not asker.reads(room, way):
            expected = ABSENT
        elif not asker.writes(room, way) or (path != thing.path and not self._may_put(asker, room, path, thing)):
            expected = FORBIDDEN
        else:
            expected = TAKEN if room.at(path) else DONE
        assert ended == expected, f"restore {thing.path} to {path} by {asker}"
        if ended == DONE:
            thing.path, thing.deleted, thing.revisions = path, None, thing.revisions + 1

    def _may_put(self, asker: Asker, room: Room, path: str, thing: Thing) -> bool:
        """Whether somebody may write in the folders of a path, and then the thing there, and opens it to nobody."""
        here, there = room.way(thing.path, thing.said), room.way(path, thing.said)
        may_grant = asker.role(room) == "owner" and KeyScope.ADMIN in asker.scopes
        opens_nothing = may_grant or readers(room, there) <= readers(room, here)
        return opens_nothing and asker.writes(room, room.way(path)) and asker.writes(room, there)

    @property
    def _items(self) -> Any:
        return self.town.lorebase.wired.item_rules

    def _changed(self, asker: Asker, room: Room, thing: Thing, change: Callable[[Draft], Draft]) -> tuple[str, Any]:
        return verdict(
            self.town,
            asker,
            change_item,
            workspace_id=room.id,
            item_id=thing.id,
            expected_revision=None,
            change=change,
            rules=self._items,
        )

    def _writing(self, asker: Asker, room: Room, thing: Thing) -> str:
        way = room.way(thing.path, thing.said)
        if thing.deleted is not None or not asker.reads(room, way):
            return ABSENT
        return DONE if asker.writes(room, way) else FORBIDDEN


def _kept(room: Room, path: str, creator: Resident) -> Said:
    """What was said about the item that lay at the path last, of those in the trash about which something was said."""
    buried = [
        thing
        for thing in room.things
        if thing.deleted is not None and thing.path == path and replace(thing.said, creator=None) != Said()
    ]
    if not buried:
        return Said(creator=creator)
    last = max(buried, key=lambda thing: thing.deleted or 0).said
    if last.kind == "only_me" and last.creator is not creator:
        return Said(creator=creator)
    if last.creator is creator:
        return last
    is_owners = last.is_restricted or (last.kind is None and not last.inherits)
    return replace(last, creator=creator, given={}, inherits=True, is_restricted=is_owners)


def _draft(thing: Thing) -> Draft:
    attributes = Attributes(tags=("common", thing.word))
    return Draft(path=thing.path, title=f"Title {thing.word}", body=f"alpha {thing.word}", attributes=attributes)
