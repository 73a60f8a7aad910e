"""The one place that every item passes on its way in, by hand or by intake: what it may be, and text hygiene."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from chalicelib.items.errors import BodyTooLarge, InvalidItem
from chalicelib.items.hygiene import clean_json, clean_line, clean_text
from chalicelib.items.model import Attributes, Caveat, Draft
from chalicelib.items.paths import checked_path

TITLE_CHARACTERS = 500
DESCRIPTION_CHARACTERS = 2000
LABEL_CHARACTERS = 100
LABELS = 50
METADATA_BYTES = 64 * 1024
_CAVEATS = {
    "nul": "NUL characters were removed.",
    "surrogate": "Characters that are no Unicode were replaced.",
    "control": "Control characters were removed.",
    "bidi": "Characters that change the order of display were removed.",
    "byte_order_mark": "Byte order marks were removed.",
    "composed": "Accents were brought into their usual form (NFC).",
}
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def checked_draft(draft: Draft, *, body_bytes: int) -> Draft:
    """Return the draft as it is stored, with what hygiene removed counted among its warnings.

    Raises InvalidPath, InvalidItem, BodyTooLarge.
    """
    body, counts = clean_text(draft.body)
    if len(body.encode()) > body_bytes:
        raise BodyTooLarge(f"A body has at most {body_bytes} bytes; split the document.", limit=body_bytes)
    title = clean_line(draft.title)
    if not 1 <= len(title) <= TITLE_CHARACTERS:
        raise InvalidItem(f"A title has 1 to {TITLE_CHARACTERS} characters.", field="title")
    return replace(
        draft,
        path=checked_path(draft.path),
        title=title,
        body=body,
        attributes=_checked_attributes(draft.attributes),
        warnings=(*_without_hygiene(draft.warnings), *(Caveat(code, _CAVEATS[code], counts[code]) for code in counts)),
    )


def _checked_attributes(attributes: Attributes) -> Attributes:
    description = clean_line(attributes.description)
    if len(description) > DESCRIPTION_CHARACTERS:
        raise InvalidItem(f"A description has at most {DESCRIPTION_CHARACTERS} characters.", field="description")
    if attributes.language is not None and not _LANGUAGE.fullmatch(attributes.language):
        raise InvalidItem("A language is an ISO 639 code such as `en` or `de`.", field="language")
    metadata, _ = clean_json(dict(attributes.metadata))
    if not isinstance(metadata, dict):
        raise InvalidItem("Metadata is a JSON object.", field="metadata")
    if len(json.dumps(metadata, ensure_ascii=False).encode()) > METADATA_BYTES:
        raise InvalidItem(f"Metadata has at most {METADATA_BYTES} bytes as JSON.", field="metadata")
    return replace(
        attributes,
        description=description,
        tags=_checked_labels(attributes.tags, field="tags"),
        categories=_checked_labels(attributes.categories, field="categories"),
        metadata=metadata,
    )


def _checked_labels(labels: Sequence[str], *, field: str) -> Sequence[str]:
    checked = tuple(sorted({clean_line(label) for label in labels}))
    if len(checked) > LABELS or any(not 1 <= len(label) <= LABEL_CHARACTERS for label in checked):
        raise InvalidItem(f"At most {LABELS} {field}, each of 1 to {LABEL_CHARACTERS} characters.", field=field)
    return checked


def _without_hygiene(warnings: Sequence[Caveat]) -> Sequence[Caveat]:
    return tuple(caveat for caveat in warnings if caveat.code not in _CAVEATS)
