"""Every statement is used, and whoever reads tenants' data names the workspace and asks for the audience."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.database.statements import Statement, parse_statements

PACKAGE = Path(__file__).resolve().parents[2] / "chalicelib"

_GUARDED = r"(items|revisions|chunks|chunk_terms|embeddings|uploads|citations|answers)\b"
_TOUCHES = re.compile(rf"\b(from|join|into|update|copy)\s+{_GUARDED}")
_ASKS = re.compile(r"readable\(\w+\.audience_id, %\(audiences\)s\)|<readable_(items|cited)>")
_PLACE = r'(?:lateral\s+)?(?:only\s+)?(?:public\.)?"?'
# In a list of tables, unlike one of columns, another word follows: the name that the table goes by.
_READS = re.compile(
    rf"(?:(?<!delete )\bfrom|\bjoin|\busing|\btable)\s+{_PLACE}{_GUARDED}|,\s*{_PLACE}{_GUARDED}\s+(?!from\b)[a-z_]+\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)

READ_FOR_NOBODY = {
    "audit:insert_activity": "whether the thing is kept from owners is noted, and shown to nobody",
    "access:delete_unused_audiences": "what decides who may read looks whether anything has an audience",
    "access:list_places": "what decides who may read asks who made the item",
    "access:list_places_around": "what decides who may read works it out for all",
    "access:put_audiences_by_folder": "what decides who may read works it out for all",
    "access:put_audiences_of_placed_uploads": "what decides who may read works it out for all",
    "access:put_audiences_of_uploads_to": "what decides who may read works it out for all",
    "access:put_audiences_of_other_uploads": "what decides who may read works it out for all",
    "access:find_buried": "what was said about a deleted item holds on for its successor",
    "intake:newest_drop_event": "the original store's event is compared with earlier ones",
    "intake:take_upload": "the worker extracts what was accepted",
    "intake:list_expired_uploads": "the sweep ends uploads whose bytes never came",
    "intake:list_refused_drops": "who runs the local server owns its data folder, drops and all",
    "intake:delete_unused_original": "an original stays while anything was read out of it",
    "intake:count_latest_again": "a restored item's uploads count again, whoever restores it may read it",
    "intake:delete_unused_originals": "an original stays while anything was read out of it",
    "items:find_oldest_trash": "the sweep empties what has lain in the trash too long",
    "items:lock_old_trash": "the sweep empties what has lain in the trash too long",
    "items:list_bodies": "what was deleted for good leaves bodies that perhaps nothing has any more",
    "items:count_copies": "what was deleted for good counts no more, nor what was said of it",
    "items:delete_unused_bodies": "a body stays while anything has it",
    "sharing:find_crowded": "what is said about a folder that moves is to come over nothing that lay there",
    "sharing:move_uploads": "an upload follows its item, or the folder that it was sent to",
    "items:lock_item_at_path": "intake replaces what lies at the path of an accepted upload",
    "embedding_spaces:list_waiting": "the sweep has vectors brought to what has none",
    "embedding_spaces:estimate_fill": "an admin, who owns all workspaces, learns what a change would take",
    "index:count_lacking": "the worker counts what a space lacks",
    "index:list_lacking": "the worker embeds for all readers",
    "index:lock_lacking": "the worker embeds for all readers",
    "search:lacks_vector": "of candidates that the asker may read it is told whether their vectors are there",
    "index:read_makings": "the worker looks by what an item was indexed",
    "index:count_stale": "owners see how many items of a workspace are stale, as they see its jobs",
    "index:list_stale": "the worker indexes for all readers",
    "index:show_ready": "the worker embedded for all readers",
    "index:delete_vectors": "the worker deletes what no search looks through any more",
    "index:find_source": "the worker indexes for all readers",
    "index:lock_source": "the worker indexes for all readers",
    "index:list_chunk_ids": "what is deleted goes out of search for all readers",
    "index:list_indexed": "the worker compares the next revision with this one",
    "index:count_terms": "the worker counts what it adds and takes away",
    "index:count_languages": "the worker counts what it adds and takes away",
    "index:find_weighed_amiss": "the worker weighs all chunks anew",
    "index:list_known_vectors": "the worker looks for vectors of the same text",
    "index:put_context": "the worker keeps what a language model says of a document, which nobody is shown",
    "index:list_undescribed": "the worker has all documents of a workspace described",
    "index:count_contexts": "owners switch it for all items of a workspace: numbers alone",
    "index:measure_undescribed": "owners switch it for all items of a workspace: numbers alone",
    "index:list_embedded": "the worker compares the next revision with this one",
}
"""Statements that no asker sees the rows of, by package and name, each with its reason."""

OF_ALL_WORKSPACES = {
    "intake:list_refused_drops": "the terminal of a local server is one for all workspaces",
    "intake:list_expired_uploads": "the sweep is one for the deployment",
    "items:find_oldest_trash": "the sweep is one for the deployment",
}


def statement_files() -> Iterator[tuple[Path, dict[str, Statement]]]:
    for file in sorted(PACKAGE.rglob("*.sql")):
        if file.parent.name != "migrations":
            yield file, dict(parse_statements(file.read_text("utf-8"), origin=file.name))


STATEMENTS = {
    f"{file.parent.name}:{name}": statement.text.decode()
    for file, statements in statement_files()
    for name, statement in statements.items()
}


def without_comments(text: str) -> str:
    return _COMMENT.sub(" ", text)


def reads_guarded(text: str) -> bool:
    """Tell whether a statement reads rows that are kept from somebody, however it is written."""
    return bool(_READS.search(without_comments(text)))


def asks(text: str) -> bool:
    """Tell whether a statement asks the one predicate with the asker's audiences."""
    return bool(_ASKS.search(without_comments(text)))


def branches(text: str) -> list[str]:
    """Return what a statement joins by union, intersect or except: each reads for itself."""
    return re.split(r"\b(?:union|intersect|except)\b", without_comments(text), flags=re.IGNORECASE)


@pytest.mark.parametrize("file", [file for file, _ in statement_files()], ids=lambda file: file.name)
def test_one_module_of_the_package_loads_the_file_and_uses_all_of_it(file: Path) -> None:
    loaders = [
        module
        for module in sorted(file.parent.glob("*.py"))
        if f'load_statements(__package__, "{file.name}")' in module.read_text("utf-8")
    ]
    assert len(loaders) == 1
    words = {
        node.value
        for node in ast.walk(ast.parse(loaders[0].read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(parse_statements(file.read_text("utf-8"), origin=file.name)) - words == set()


@pytest.mark.parametrize("name", [name for name, text in STATEMENTS.items() if _TOUCHES.search(text)])
def test_a_statement_on_guarded_rows_names_the_workspace(name: str) -> None:
    names_it = "workspace_id" in STATEMENTS[name] or "<readable_items>" in STATEMENTS[name]
    assert names_it or keyed_by_item(STATEMENTS[name]) or name in OF_ALL_WORKSPACES


@pytest.mark.parametrize("name", [name for name, text in STATEMENTS.items() if reads_guarded(text)])
def test_a_statement_that_reads_guarded_rows_asks_for_the_audience(name: str) -> None:
    asking = [asks(branch) for branch in branches(STATEMENTS[name]) if reads_guarded(branch)]
    assert not any(asking) if name in READ_FOR_NOBODY else all(asking)


def test_the_one_condition_is_the_workspace_and_the_audience() -> None:
    condition = STATEMENTS["items:readable_items"]
    assert (
        "i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)"
        in condition
    )


def test_no_exception_outlives_its_statement() -> None:
    assert (set(READ_FOR_NOBODY) | set(OF_ALL_WORKSPACES)) - set(STATEMENTS) == set()


def keyed_by_item(text: str) -> bool:
    """Tell whether this adds a revision, which names its item and its owner instead."""
    return text.startswith("insert into revisions (item_id, number, owner_id")
