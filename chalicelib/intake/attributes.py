"""What an uploader may say of the item to come: checked on receipt, applied when it is made."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import PurePosixPath
from typing import Any

from chalicelib.intake.model import UploadRequest
from chalicelib.items.checked_draft import checked_draft
from chalicelib.items.errors import InvalidItem
from chalicelib.items.model import Attributes, Draft, ItemClass, ItemKind, ItemScope, ItemStatus
from chalicelib.items.paths import checked_path, name_of

_ENUMS: Mapping[str, type[ItemClass | ItemScope | ItemStatus | ItemKind]] = {
    "kind": ItemKind,
    "item_class": ItemClass,
    "scope": ItemScope,
    "status": ItemStatus,
}
_NAMES = frozenset(field.name for field in fields(Attributes)) | {"title"}
_TITLE_CHARACTERS = 200


def checked_request(request: UploadRequest) -> UploadRequest:
    """Return the request with its path, file name and attributes checked. Raises InvalidPath, InvalidItem.

    The file name is what was given, or the last part of the path; only its last part is kept.
    """
    path = checked_path(request.path)
    filename = PurePosixPath(request.filename.replace("\\", "/")).name or name_of(path)
    attributes = {name: value for name, value in request.attributes.items() if value is not None}
    draft = checked_draft(
        Draft(
            path=path,
            title=str(attributes.get("title") or "title"),
            body="",
            attributes=apply_attributes(Attributes(kind=ItemKind.FILE), attributes),
        ),
        body_bytes=0,
    )
    checked = {name: getattr(draft.attributes, name) for name in attributes if name != "title"}
    if attributes.get("title"):
        checked["title"] = draft.title
    return replace(request, path=path, filename=checked_path(filename), attributes=checked)


def apply_attributes(attributes: Attributes, given: Mapping[str, Any]) -> Attributes:
    """Return `attributes` with what the uploader gave. Raises InvalidItem."""
    if unknown := set(given) - _NAMES:
        raise InvalidItem(f"Unknown attributes: {', '.join(sorted(unknown))}.", unknown=sorted(unknown))
    changes: dict[str, Any] = {name: _typed(name, value) for name, value in given.items() if name != "title"}
    if "metadata" in changes:
        changes["metadata"] = {**attributes.metadata, **changes["metadata"]}
    return replace(attributes, **changes)


def title_from(filename: str) -> str:
    """Return a title out of a file's name: without its suffix, dashes and underscores as blanks."""
    stem = PurePosixPath(filename).stem or filename
    words = stem.replace("_", " ").replace("-", " ").strip() or filename
    return words[:_TITLE_CHARACTERS]


def _typed(name: str, value: object) -> object:
    enum = _ENUMS.get(name)
    if enum is None:
        return value
    try:
        return enum(str(value))
    except ValueError as error:
        allowed = ", ".join(enum)
        raise InvalidItem(f"{name.removeprefix('item_')} is one of {allowed}.", field=name) from error
