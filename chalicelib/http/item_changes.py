"""Turns what a client writes into drafts of items."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chalicelib.http.item_resources import ItemChanges, WrittenAttributes, WrittenItem
from chalicelib.intake.attributes import title_from
from chalicelib.intake.extract.headings import first_heading
from chalicelib.items.checked_draft import TITLE_CHARACTERS
from chalicelib.items.errors import InvalidItem
from chalicelib.items.model import Attributes, Draft, ItemKind
from chalicelib.items.paths import checked_path, name_of

_BY_HAND = frozenset({ItemKind.PAGE, ItemKind.SKILL})
_NEVER_NULL = ("path", "title", "body")


def new_draft(written: WrittenItem) -> Draft:
    """Return the draft of a new item. Raises InvalidItem."""
    return Draft(
        path=written.path,
        title=_title(written),
        body=written.body,
        attributes=_attributes(written, present=ItemKind.PAGE),
    )


def replaced_draft(present: Draft, written: WrittenItem) -> Draft:
    """Return the draft of an item that is replaced as a whole. Raises InvalidItem."""
    attributes = _attributes(written, present=present.attributes.kind)
    return _with_body(replace(present, path=written.path, title=_title(written), attributes=attributes), written.body)


def merged_draft(present: Draft, changes: ItemChanges) -> Draft:
    """Return the draft of an item that is changed in parts. Raises InvalidItem."""
    given = {name: getattr(changes, name) for name in changes.model_fields_set}
    for name in _NEVER_NULL:
        if name in given and given[name] is None:
            raise InvalidItem(f"An item cannot be without its {name}.", field=name)
    defaults = Attributes()
    attributes: dict[str, Any] = {
        name: getattr(defaults, name) if value is None else value
        for name, value in given.items()
        if name not in _NEVER_NULL
    }
    if given.get("metadata") is not None:
        attributes["metadata"] = _merged(present.attributes.metadata, given["metadata"])
    if "kind" in attributes:
        _require_kind(attributes["kind"], present.attributes.kind)
    draft = replace(
        present,
        path=given.get("path", present.path),
        title=given.get("title", present.title),
        attributes=replace(present.attributes, **attributes),
    )
    return _with_body(draft, given.get("body", present.body))


def _title(written: WrittenItem) -> str:
    if written.title is not None:
        return written.title
    return (first_heading(written.body) or "")[:TITLE_CHARACTERS] or title_from(name_of(checked_path(written.path)))


def _attributes(written: WrittenAttributes, *, present: ItemKind) -> Attributes:
    kind = written.kind or present
    _require_kind(kind, present)
    return Attributes(
        kind=kind,
        item_class=written.item_class,
        scope=written.scope,
        status=written.status,
        description=written.description,
        language=written.language,
        tags=written.tags,
        categories=written.categories,
        metadata=written.metadata,
    )


def _require_kind(kind: ItemKind, present: ItemKind) -> None:
    if kind is not present and kind not in _BY_HAND:
        raise InvalidItem(f"Items of kind {kind} come from uploads and syncs; write a page or a skill.", field="kind")


def _with_body(draft: Draft, body: str) -> Draft:
    # Where pages began is known of the extract alone.
    return draft if body == draft.body else replace(draft, body=body, page_starts=())


def _merged(present: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Apply a JSON merge patch (RFC 7396, section 2)."""
    merged = dict(present)
    for name, value in changes.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping):
            below = merged.get(name)
            merged[name] = _merged(below if isinstance(below, Mapping) else {}, value)
        else:
            merged[name] = value
    return merged
