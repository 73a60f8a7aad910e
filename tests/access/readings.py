"""Every way of reading, each with what the model foretells for it; whoever adds one to the program adds it here."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from chalicelib.index.list_chunks import list_chunks
from chalicelib.intake.read_coverage import read_coverage
from chalicelib.intake.read_uploads import list_uploads, presign_original, read_upload
from chalicelib.intake.subjects_of_jobs import subjects_of_jobs
from chalicelib.items.list_items import list_items_by_path, list_items_by_update, list_tags, read_folder
from chalicelib.items.model import ItemFilters, UploadId
from chalicelib.items.read_item import list_revisions, read_item, read_revision
from chalicelib.items.read_trash import list_trash, list_trashed_revisions, read_trashed_item, read_trashed_revision
from chalicelib.items.trash_store import TrashFilters
from chalicelib.jobs.list_jobs import list_jobs
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.model import Level, Question
from chalicelib.search.search import SearchRules, search
from tests.access.looks import PAGE, Look, of_each, paged, present
from tests.access.town import Thing, Town


def by_path(look: Look) -> list[UUID]:
    filters = ItemFilters(tags=("common",))
    items = paged(
        None,
        lambda after: list_items_by_path(look.tx, filters=filters, after_path=after, limit=PAGE, **look.who),
        lambda item: item.path,
    )
    return [item.id for item in items]


def by_update(look: Look) -> set[UUID]:
    items = paged(
        None,
        lambda last: list_items_by_update(look.tx, filters=ItemFilters(), last=last, limit=PAGE, **look.who),
        lambda item: (item.updated_at, item.id),
    )
    return {item.id for item in items}


def tree(look: Look) -> dict[str, Any]:
    """Folders with their counts, and items, of the whole tree."""
    found: dict[str, Any] = {}

    def walk(folder: str) -> None:
        shown = read_folder(look.tx, folder=folder, filters=ItemFilters(), after_path=None, limit=100, **look.who)
        found[folder] = (dict(shown.folders), sorted(item.id for item in shown.items))
        for name in shown.folders:
            walk(f"{folder}/{name}" if folder else name)

    walk("")
    return found


def foretold_tree(things: Collection[Thing]) -> dict[str, Any]:
    folders = {""} | {
        "/".join(thing.path.split("/")[:depth]) for thing in things for depth in range(1, thing.path.count("/") + 1)
    }

    def below(folder: str) -> list[Thing]:
        return [thing for thing in things if not folder or thing.path.startswith(f"{folder}/")]

    def parent(path: str) -> str:
        return path.rpartition("/")[0]

    return {
        folder: (
            {one.rpartition("/")[2]: len(below(one)) for one in folders if one and parent(one) == folder},
            sorted(thing.id for thing in things if parent(thing.path) == folder),
        )
        for folder in folders
    }


def tags(look: Look) -> Mapping[str, int]:
    return dict(list_tags(look.tx, **look.who))


def foretold_tags(look: Look) -> Mapping[str, int]:
    things = look.sees
    return {thing.word: 1 for thing in things} | ({"common": len(things)} if things else {})


def shown(look: Look) -> set[str]:
    return set(of_each(look, lambda thing: read_item(look.tx, item_id=thing.id, **look.who)))


def revisions(look: Look) -> dict[str, list[int]]:
    def numbers(thing: Thing) -> list[int]:
        listed = paged(
            None,
            lambda before: list_revisions(look.tx, item_id=thing.id, before=before, limit=PAGE, **look.who),
            lambda revision: revision.number,
        )
        return [revision.number for revision in listed]

    return of_each(look, numbers)


def first_revisions(look: Look) -> set[str]:
    return set(of_each(look, lambda thing: read_revision(look.tx, item_id=thing.id, number=1, **look.who)))


def chunks(look: Look) -> dict[str, bool]:
    def says_its_word(thing: Thing) -> bool:
        listed = list_chunks(look.tx, item_id=thing.id, **look.who)
        return bool(listed) and all(thing.word in chunk.text for chunk in listed)

    return of_each(look, says_its_word)


def states(look: Look) -> tuple[int, int]:
    coverage = read_coverage(look.tx, quotas=look.town.lorebase.wired.item_rules.quotas, **look.who)
    assert not coverage.failures
    assert not coverage.waits
    return sum(coverage.items.values()), sum(coverage.uploads.values())


def upload_list(look: Look) -> set[UploadId]:
    uploads = paged(
        None,
        lambda before: list_uploads(look.tx, states=[], path=None, before=before, limit=PAGE, **look.who),
        lambda upload: upload.id,
    )
    return {upload.id for upload in uploads}


def of_each_upload(look: Look, read: Callable[[UploadId], object]) -> set[UploadId]:
    uploads = [upload_id for room in look.town.all_rooms for upload_id in room.uploads]
    return {upload_id for upload_id in uploads if present(partial(read, upload_id)) is not None}


def uploads_shown(look: Look) -> set[UploadId]:
    return of_each_upload(look, lambda upload_id: read_upload(look.tx, upload_id=upload_id, **look.who))


def originals(look: Look) -> set[UploadId]:
    rules = look.town.lorebase.wired.intake_rules
    return of_each_upload(
        look, lambda upload_id: presign_original(look.tx, upload_id=upload_id, rules=rules, **look.who)
    )


def subjects(look: Look) -> set[str]:
    """The paths that jobs are told to be about; jobs themselves are shown to owners alone."""
    founder = look.town.founder_of(look.room, look.tx)
    jobs = list_jobs(look.tx, principal=founder, workspace_id=look.room.id, limit=10**6)
    return set(subjects_of_jobs(look.tx, jobs=jobs, **look.who).values())


def foretold_subjects(look: Look) -> set[str]:
    return {thing.path for thing in look.sees} | {look.room.arrived_at[id_] for id_ in look.uploads()}


def found(look: Look, *, mode: Mode, level: Level) -> set[str]:
    """What a search finds of what all bodies say; a hit shows nothing of another item."""
    answer = search(
        database=look.town.database,
        question=Question(query="alpha", limit=100, mode=mode, level=level),
        embedders=look.town.lorebase.wired.embedders,
        rules=SearchRules(),
        **look.who,
    )
    words = {thing.id: thing.word for thing in look.everything}
    assert all(words[hit.item_id] in hit.title and words[hit.item_id] in hit.snippet.text for hit in answer.hits)
    return {words[hit.item_id] for hit in answer.hits}


def own_words(look: Look) -> set[str]:
    return {thing.word for thing in look.sees}


def trash(look: Look) -> list[UUID]:
    trashed = paged(
        None,
        lambda last: list_trash(look.tx, filters=TrashFilters(), last=last, limit=PAGE, **look.who),
        lambda one: (one.deleted_at, one.item.id),
    )
    return [one.item.id for one in trashed]


def trash_shown(look: Look) -> set[str]:
    return set(of_each(look, lambda thing: read_trashed_item(look.tx, item_id=thing.id, **look.who)))


def revisions_in_trash(look: Look) -> dict[str, int]:
    return of_each(
        look,
        lambda thing: len(list_trashed_revisions(look.tx, item_id=thing.id, before=None, limit=100, **look.who)),
    )


def first_revisions_in_trash(look: Look) -> set[str]:
    return set(of_each(look, lambda thing: read_trashed_revision(look.tx, item_id=thing.id, number=1, **look.who)))


def buried_words(look: Look) -> set[str]:
    return {thing.word for thing in look.buried}


@dataclass(frozen=True)
class Reading:
    """One way of reading, and what the model says that it gives."""

    read: Callable[[Look], Any]
    foretold: Callable[[Look], Any]


READINGS: Mapping[str, Reading] = {
    "list by path": Reading(by_path, lambda look: [t.id for t in sorted(look.sees, key=lambda thing: thing.path)]),
    "list by update": Reading(by_update, lambda look: {thing.id for thing in look.sees}),
    "tree": Reading(tree, lambda look: foretold_tree(look.sees)),
    "tags": Reading(tags, foretold_tags),
    "show": Reading(shown, own_words),
    "revisions": Reading(
        revisions, lambda look: {thing.word: list(range(thing.revisions, 0, -1)) for thing in look.sees}
    ),
    "one revision": Reading(first_revisions, own_words),
    "chunks": Reading(chunks, lambda look: dict.fromkeys((thing.word for thing in look.sees), True)),
    "states": Reading(states, lambda look: (len(look.sees), len(look.uploads()))),
    "uploads": Reading(upload_list, Look.uploads),
    "one upload": Reading(uploads_shown, Look.uploads),
    "originals": Reading(originals, Look.uploads),
    "trash": Reading(trash, lambda look: [t.id for t in sorted(look.buried, key=lambda thing: -(thing.deleted or 0))]),
    "one in the trash": Reading(trash_shown, buried_words),
    "revisions in the trash": Reading(
        revisions_in_trash, lambda look: {thing.word: thing.revisions for thing in look.buried}
    ),
    "one revision in the trash": Reading(first_revisions_in_trash, buried_words),
    "subjects of jobs": Reading(subjects, foretold_subjects),
    **{
        f"search {mode} {level}": Reading(partial(found, mode=mode, level=level), own_words)
        for mode in Mode
        for level in Level
    },
}
"""By name; whoever has no role in the room is told that it is not there, or gets nothing for any id."""


SEARCHES = tuple(name for name in READINGS if name.startswith("search"))
CHEAP = ("list by path", "uploads")


def compare(town: Town, names: Collection[str] = tuple(READINGS), *, searches: int = 2) -> int:
    """Hold these ways of reading to the model, for everybody and every room; return how many comparisons that was.

    Each asker tries so many of the searches, all of them together every one.
    """
    compared = 0
    for number, asker in enumerate(town.askers):
        tried = {SEARCHES[(number * searches + more) % len(SEARCHES)] for more in range(searches)}
        for room in town.all_rooms:
            with town.database.transaction() as tx:
                look = Look(town, asker, room, tx, asker.principal(tx, town))
                for name in names:
                    if name not in SEARCHES or name in tried:
                        hold(look, name)
                        compared += max(1, len(look.everything))
    return compared


def hold(look: Look, name: str) -> None:
    """Hold one way of reading to the model."""
    seen = present(lambda: READINGS[name].read(look))
    where = f"{name} by {look.asker} in room {look.town.all_rooms.index(look.room)}"
    if look.asker.role(look.room):
        assert seen == READINGS[name].foretold(look), where
    else:
        assert not seen, where
