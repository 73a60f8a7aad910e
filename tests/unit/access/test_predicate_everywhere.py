"""Every statement that asks `readable(…)` leaves out what the asker may not read, and would not without asking."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pgvector import HalfVector, SparseVector

from chalicelib.access.model import Audiences
from chalicelib.access.readers import audiences_of
from chalicelib.audit import store as audit
from chalicelib.audit.model import ActivityFilters
from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement, parse_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import store as index
from chalicelib.index.bm25 import DIMENSIONS
from chalicelib.index.spaces import find_space
from chalicelib.intake import store as uploads
from chalicelib.intake.model import UploadState
from chalicelib.items import store as items
from chalicelib.items import trash_store as trash
from chalicelib.items.model import IndexState, ItemFilters, ItemId, UploadId
from chalicelib.items.trash_store import TrashFilters
from chalicelib.search import hits_store as hits
from chalicelib.search import store as search
from chalicelib.search.combinations import Combination
from chalicelib.search.model import Level
from chalicelib.search.store import Reach
from chalicelib.sharing import folder_deletion_store as deletion
from chalicelib.sharing import folder_moves_store as moves
from chalicelib.sharing import forsaken_store as forsaken
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.gathered_readings import GATHERED
from tests.fixtures.lorebases import Lorebase

_ROOM = Path(__file__).resolve().parents[3] / "chalicelib"
_ASKS = (b"readable(", b"<readable_items>", b"<readable_cited>", b"<readable_citations>")
_OPEN = {
    b"readable(i.audience_id, %(audiences)s)": b"(readable(i.audience_id, %(audiences)s) or true)",
    b"readable(u.audience_id, %(audiences)s)": b"(readable(u.audience_id, %(audiences)s) or true)",
}
_HIDE = Statement("hide", "Keep a thing from everybody.", b"update items set audience_id = null")
_HIDE_UPLOADS = Statement("hide_uploads", "Keep uploads from everybody.", b"update uploads set audience_id = null")
_FAIL = Statement("fail", "Let the thing have failed.", b"update items set index_state = 'failed', index_reason = '{}'")
_FAIL_UPLOADS = Statement("fail", "Let uploads have failed.", b"update uploads set state = 'failed', reason = '{}'")
_CHUNKS = Statement("chunks", "Read all chunks.", b"select id from chunks")
_TERMS = Statement("terms", "Read all terms.", b"select distinct unnest(terms) as term from chunk_terms")
_ORGANIZATION = Statement("organization", "Read whose workspace it is.", b"select organization_id from workspaces")
_BURY = Statement(
    "bury", "Let the thing lie in the trash.", b"update items set deleted_at = now() where deleted_at is null"
)
_DOUBLE = Statement(
    "double",
    "Let something lie in another folder under the name of the thing.",
    b"insert into items (id, workspace_id, kind, class, scope, status, path, title, revision, body_sha256, body_bytes,"
    b" index_state) select gen_random_uuid(), workspace_id, kind, class, scope, status, 'taken/victim.md', title, 1,"
    b" body_sha256, body_bytes, 'pending' from items"
    b" where not exists (select from items where path = 'taken/victim.md')",
)


@dataclass(frozen=True)
class Asked:
    """Somebody who asks, and the one thing in the workspace."""

    tx: Transaction
    workspace_id: WorkspaceId
    audiences: Audiences
    item_id: ItemId
    upload_id: UploadId

    @property
    def item(self) -> tuple[Transaction, WorkspaceId, ItemId]:
        return self.tx, self.workspace_id, self.item_id

    @property
    def upload(self) -> tuple[Transaction, WorkspaceId, UploadId]:
        return self.tx, self.workspace_id, self.upload_id

    @property
    def here(self) -> tuple[Transaction, WorkspaceId]:
        return self.tx, self.workspace_id

    @property
    def reach(self) -> Reach:
        return Reach(self.workspace_id, self.audiences, ItemFilters())

    @property
    def listing(self) -> dict[str, Any]:
        return {"audiences": self.audiences, "limit": 9}

    def by_words(self, level: Level) -> object:
        terms = [row["term"] for row in self.tx.fetch_all(_TERMS)]
        weights = SparseVector(dict.fromkeys(terms, 1.0), DIMENSIONS)
        return search.rank_by_words(
            self.tx,
            self.reach,
            level=level,
            terms_table="chunk_terms",
            combinations=[Combination((), terms)],
            weights=weights,
            limit=9,
        )

    def by_few_words(self, level: Level) -> object:
        weights = SparseVector({row["term"]: 1.0 for row in self.tx.fetch_all(_TERMS)}, DIMENSIONS)
        return search.rank_few_by_words(self.tx, self.reach, level=level, weights=weights, limit=9)

    def by_meaning(self, rank: Callable[..., object], **options: Any) -> object:
        space_id = find_space(self.tx, name=WordEmbedder.space)
        vector = HalfVector(WordEmbedder().embed_query("victim").vectors[0])
        return rank(self.tx, self.reach, space_id=space_id, vector=vector, limit=9, **options)

    def failed_uploads(self) -> object:
        self.tx.execute(_FAIL_UPLOADS)
        return uploads.list_failed(*self.here, **self.listing)

    def failed_items(self) -> object:
        self.tx.execute(_FAIL)
        return items.list_in_state(*self.here, IndexState.FAILED, **self.listing)

    def upload_list(self) -> object:
        return uploads.list_uploads(*self.here, states=list(UploadState), path=None, before=None, **self.listing)

    def activity(self) -> object:
        """What was recorded of the item and the upload."""
        [row] = self.tx.fetch_all(_ORGANIZATION)
        entries = audit.list_activity(
            self.tx,
            organization_id=row["organization_id"],
            workspace_id=self.workspace_id,
            filters=ActivityFilters(),
            principal_id=new_id(),
            before=None,
            **self.listing,
        )
        return [entry for entry in entries if entry.subject_id in {self.item_id, self.upload_id}]

    def hits(self) -> object:
        return search.read_hits(self.tx, self.reach, [row["id"] for row in self.tx.fetch_all(_CHUNKS)])

    def items_by_path(self) -> object:
        return items.list_items_by_path(*self.here, ItemFilters(), after_path=None, **self.listing)

    def items_by_update(self) -> object:
        return items.list_items_by_update(*self.here, ItemFilters(), last=None, **self.listing)

    def item_states(self) -> object:
        return sum(items.count_states(*self.here, audiences=self.audiences).values())

    def upload_states(self) -> object:
        return sum(uploads.count_states(*self.here, audiences=self.audiences).values())

    def buried(self, read: Callable[..., object], *what: object, **options: Any) -> object:
        self.tx.execute(_BURY)
        return read(*self.here, *what, audiences=self.audiences, **options)

    def taken(self) -> object:
        self.tx.execute(_DOUBLE)
        found = moves.find_taken(*self.here, "victim", "taken", audiences=self.audiences)
        return found and found.path


READ_BY_STATEMENT: Mapping[str, Callable[[Asked], object]] = {
    "find_item": lambda asked: items.find_item(*asked.item, audiences=asked.audiences),
    "lock_item": lambda asked: items.find_item(*asked.item, audiences=asked.audiences, lock=True),
    "find_item_at_path": lambda asked: items.find_item_at_path(
        *asked.here, "victim/victim.md", audiences=asked.audiences
    ),
    "find_revision": lambda asked: items.find_revision(*asked.item, 1, audiences=asked.audiences),
    "list_revisions": lambda asked: items.list_revisions(*asked.item, before=None, **asked.listing),
    "list_items_by_path": Asked.items_by_path,
    "list_items_by_update": Asked.items_by_update,
    "list_folders": lambda asked: items.list_folders(*asked.here, ItemFilters(), prefix="", audiences=asked.audiences),
    "list_folder_items": lambda asked: items.list_folder_items(
        *asked.here, ItemFilters(), prefix="victim/", after_path=None, **asked.listing
    ),
    "list_trash": lambda asked: asked.buried(trash.list_trash, TrashFilters(), last=None, limit=9),
    "find_in_trash": lambda asked: asked.buried(trash.find_in_trash, asked.item_id),
    "lock_in_trash": lambda asked: asked.buried(trash.find_in_trash, asked.item_id, lock=True),
    "find_revision_in_trash": lambda asked: asked.buried(trash.find_revision, asked.item_id, 1),
    "list_revisions_in_trash": lambda asked: asked.buried(trash.list_revisions, asked.item_id, before=None, limit=9),
    "lock_trash": lambda asked: asked.buried(trash.lock_trash, limit=9),
    "survey_folder": lambda asked: moves.survey_folder(*asked.here, "victim", audiences=asked.audiences).readable,
    "find_taken": Asked.taken,
    "lock_folder_items": lambda asked: deletion.lock_folder_items(*asked.here, "victim", audiences=asked.audiences),
    "lock_items_of": lambda asked: forsaken.lock_items_of(*asked.here, audiences=asked.audiences),
    "list_tags": lambda asked: items.list_tags(*asked.here, **asked.listing),
    "count_states": Asked.item_states,
    "list_in_state": Asked.failed_items,
    "find_upload": lambda asked: uploads.find_upload(*asked.upload, audiences=asked.audiences),
    "lock_upload": lambda asked: uploads.find_upload(*asked.upload, audiences=asked.audiences, lock=True),
    "list_subjects": lambda asked: uploads.list_subjects(
        *asked.here, [asked.item_id, asked.upload_id], audiences=asked.audiences
    ),
    "list_uploads": Asked.upload_list,
    "count_upload_states": Asked.upload_states,
    "list_failed_uploads": Asked.failed_uploads,
    "list_chunks": lambda asked: index.list_chunks(*asked.item, after=-1, **asked.listing),
    "rank_chunks_by_words": lambda asked: asked.by_words(Level.CHUNK),
    "rank_items_by_words": lambda asked: asked.by_words(Level.ITEM),
    "rank_few_chunks_by_words": lambda asked: asked.by_few_words(Level.CHUNK),
    "rank_few_items_by_words": lambda asked: asked.by_few_words(Level.ITEM),
    "rank_chunks_exactly": lambda asked: asked.by_meaning(search.rank_exactly, level=Level.CHUNK),
    "rank_items_exactly": lambda asked: asked.by_meaning(search.rank_exactly, level=Level.ITEM),
    "rank_chunks_by_graph": lambda asked: asked.by_meaning(search.rank_by_graph, breadth=40, most=20_000),
    "find_extent": lambda asked: search.find_extent(asked.tx, asked.reach).readable,
    "list_readable": lambda asked: search.list_readable(*asked.here, [asked.item_id], audiences=asked.audiences),
    "read_hits": Asked.hits,
    "list_ages": lambda asked: hits.list_ages(asked.tx, asked.reach, [asked.item_id]),
    "read_neighbours": lambda asked: hits.read_neighbours(asked.tx, asked.reach, [(asked.item_id, 0)], neighbours=1),
    "list_activity": Asked.activity,
    **GATHERED,
}
"""For each statement that asks, a reading that is empty, zero or None where nothing may be read."""

_PARTS = {"readable_items", "readable_cited", "readable_citations", "citation_columns"}


def statements_that_ask() -> list[str]:
    return sorted(
        name
        for file in _ROOM.rglob("*.sql")
        if file.parent.name != "migrations"
        for name, statement in parse_statements(file.read_text("utf-8"), origin=file.name).items()
        if any(word in statement.text for word in _ASKS) and name not in _PARTS
    )


def open_to_all(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let the statement of this name ask for nothing."""

    def opened(run: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(tx: Transaction, statement: Statement, **parameters: object) -> Any:
            text = statement.text
            if statement.name == name:
                for asks, does_not in _OPEN.items():
                    text = text.replace(asks, does_not)
                assert text != statement.text
            return run(tx, Statement(statement.name, statement.intent, text), **parameters)

        return fetch

    monkeypatch.setattr(Transaction, "fetch_all", opened(Transaction.fetch_all))
    monkeypatch.setattr(Transaction, "fetch_one", opened(Transaction.fetch_one))
    monkeypatch.setattr(Transaction, "execute", opened(Transaction.execute))


@pytest.fixture
def asked(database: Database, tmp_path: Path) -> Iterator[Callable[[], Any]]:
    """Opens a transaction in a workspace with one item, read out of one upload."""
    lorebase = Lorebase(database, tmp_path, embedder=WordEmbedder())
    upload = lorebase.upload("victim/victim.md", b"# Victim\n\nThe victim plan.", tags=["victim"])
    lorebase.drain()
    (item,) = lorebase.items()
    assert item.index.state is IndexState.READY

    @contextmanager
    def ask() -> Iterator[Asked]:
        with database.transaction() as tx:
            yield Asked(
                tx, lorebase.workspace_id, audiences_of(tx, lorebase.owner, lorebase.workspace_id), item.id, upload.id
            )

    yield ask
    lorebase.wired.close()


def test_every_statement_that_asks_is_tried_here() -> None:
    assert statements_that_ask() == sorted(READ_BY_STATEMENT)


@pytest.mark.parametrize("name", sorted(READ_BY_STATEMENT))
def test_what_nobody_may_read_is_left_out_by_this_statement_itself(
    name: str, asked: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = READ_BY_STATEMENT[name]
    with asked() as present:
        assert read(present)
    with asked() as present:
        present.tx.execute(_HIDE)
        present.tx.execute(_HIDE_UPLOADS)
        assert not read(present)
        open_to_all(monkeypatch, name)
        assert read(present)


@pytest.mark.parametrize("name", [name for name in sorted(READ_BY_STATEMENT) if "upload" in name])
def test_an_upload_goes_out_of_sight_with_its_item(name: str, asked: Callable[[], Any]) -> None:
    read = READ_BY_STATEMENT[name]
    with asked() as present:
        present.tx.execute(_HIDE)
        assert not read(present)
