"""A desk at which an owner says who may read in a folder, an editor writes there and a viewer reads."""

from collections.abc import Callable, Sequence
from typing import Any

from chalicelib.identity.model import Principal, WorkspaceRole
from chalicelib.index.swap import remove_from_index
from chalicelib.intake.model import UploadRequest
from chalicelib.intake.receive_upload import receive_upload
from chalicelib.intake.restore_item import restore_item
from chalicelib.items.change_item import change_item, delete_item
from chalicelib.items.create_item import create_item
from chalicelib.items.list_items import list_items_by_path
from chalicelib.items.model import Attributes, Draft, Item, ItemFilters
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.ports import Embedded
from chalicelib.search.model import Question
from chalicelib.search.search import SearchRules, search
from chalicelib.sharing.change_access import change_folder_access
from chalicelib.sharing.manage_folders import put_folder
from chalicelib.sharing.model import AccessChoice
from tests.access.meetings import Deed
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.lorebases import Lorebase

RESTRICTED, OPEN = AccessChoice(is_restricted=True), AccessChoice()


class Interrupted(WordEmbedder):
    """Lets something happen while a question is being embedded: between what may be read and what is read."""

    happens: Callable[[], None] | None = None

    def embed_query(self, text: str) -> Embedded:
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()
        return super().embed_query(text)


class Desk:
    """A folder `p` that an owner may restrict while an editor writes in it and a viewer reads."""

    def __init__(self, lorebase: Lorebase) -> None:
        self.lorebase, self.database = lorebase, lorebase.database
        self.viewer, self.editor = lorebase.member(WorkspaceRole.VIEWER), lorebase.member(WorkspaceRole.EDITOR)
        with self.database.transaction() as tx:
            self.folder, _ = put_folder(tx, **self.by(lorebase.owner), path="p")

    def by(self, who: Principal) -> dict[str, Any]:
        return {"principal": who, "workspace_id": self.lorebase.workspace_id}

    def say(self, choice: AccessChoice) -> Deed:
        return lambda tx: change_folder_access(
            tx, **self.by(self.lorebase.owner), folder_id=self.folder.id, choice=choice
        )

    def add(self, path: str, who: Principal | None = None) -> Deed:
        draft = Draft(path=path, title=path, body="alpha", attributes=Attributes())
        rules = self.lorebase.wired.item_rules
        return lambda tx: create_item(tx, **self.by(who or self.lorebase.owner), draft=draft, rules=rules)

    def upload(self, path: str) -> Deed:
        return lambda tx: receive_upload(
            tx,
            **self.by(self.lorebase.owner),
            request=UploadRequest(path=path, filename=path, attributes={}),
            content=b"alpha",
            rules=self.lorebase.wired.intake_rules,
            now=self.lorebase.clock.now(),
        )

    def move(self, item: Item, path: str) -> Deed:
        def moved(draft: Draft) -> Draft:
            return Draft(path=path, title=draft.title, body=draft.body, attributes=draft.attributes)

        return lambda tx: change_item(
            tx,
            **self.by(self.lorebase.owner),
            item_id=item.id,
            expected_revision=None,
            change=moved,
            rules=self.lorebase.wired.item_rules,
        )

    def delete(self, item: Item) -> Deed:
        return lambda tx: delete_item(
            tx,
            **self.by(self.lorebase.owner),
            item_id=item.id,
            expected_revision=None,
            rules=self.lorebase.wired.item_rules,
            remove_from_index=remove_from_index,
        )

    def restore(self, item: Item) -> Deed:
        rules = self.lorebase.wired.item_rules
        return lambda tx: restore_item(tx, **self.by(self.lorebase.owner), item_id=item.id, path=None, rules=rules)

    def do(self, deed: Deed) -> Any:
        with self.database.transaction() as tx:
            return deed(tx)

    def seen(self, who: Principal) -> list[str]:
        with self.database.transaction() as tx:
            found: Sequence[Item] = list_items_by_path(
                tx, **self.by(who), filters=ItemFilters(), after_path=None, limit=100
            )
        return [item.path for item in found]

    def found(self, who: Principal, mode: Mode) -> list[str]:
        answer = search(
            database=self.database,
            **self.by(who),
            question=Question(query="alpha", mode=mode),
            embedders=self.lorebase.wired.embedders,
            rules=SearchRules(),
        )
        return [hit.path for hit in answer.hits]
