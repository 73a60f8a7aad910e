"""The registry of formats, and `extract`, which runs the right one and cleans what it gives."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from chalicelib.intake.errors import NoTextFound, TextExceeded, UnsupportedType
from chalicelib.intake.extract.model import Extract, ExtractLimits, Extractor, ExtractWarning, Source
from chalicelib.intake.sniff import MediaType
from chalicelib.intake.type_words import refusal_of
from chalicelib.items.hygiene import clean_json, clean_text

_extractor_by_media_type: dict[str, Extractor] = {}

_DETAIL_BY_HYGIENE_CODE = {
    "nul": "NUL characters were removed.",
    "surrogate": "Halves of characters were replaced by U+FFFD.",
    "control": "Control characters were removed.",
    "bidi": "Characters that only steer the direction of display were removed.",
    "byte_order_mark": "Byte order marks were removed.",
    "composed": "Characters and their accents were joined (NFC).",
    "not_a_number": "Numbers that JSON cannot hold were removed from the metadata.",
    "too_deep": "Metadata nested too deeply was removed.",
}


def reads(*media_types: str) -> Callable[[Extractor], Extractor]:
    """Register the decorated function as the extractor of `media_types`."""

    def register(extractor: Extractor) -> Extractor:
        _extractor_by_media_type.update(dict.fromkeys(media_types, extractor))
        return extractor

    return register


@cache
def _discovered() -> dict[str, Extractor]:
    package = importlib.import_module(__package__)
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return _extractor_by_media_type


def taken_media_types() -> list[str]:
    """Return the media types that can be extracted, sorted."""
    return sorted(_discovered())


def require_taken(media_type: MediaType, filename: str) -> Extractor:
    """Return the extractor of `media_type`, or raise UnsupportedType (415) with the list of what is taken."""
    extractor = _discovered().get(media_type)
    if extractor is None:
        raise UnsupportedType(refusal_of(media_type, filename), media_type=media_type, taken=taken_media_types())
    return extractor


def extract(path: Path, media_type: MediaType, *, filename: str, limits: ExtractLimits) -> Extract:
    """Read the Markdown out of the original at `path`; raises UnsupportedType or an ExtractionFailed."""
    extractor = require_taken(media_type, filename)
    if path.stat().st_size == 0:
        raise NoTextFound(f"{filename} is empty; upload the file again if it should not be.", filename=filename)
    found = extractor(Source(path=path, media_type=media_type, filename=filename, limits=limits))
    if len(found.body) > limits.characters:
        raise TextExceeded(
            f"{filename} holds {len(found.body):,} characters, more than {limits.characters:,}; split it.",
            limit=limits.characters,
            found=len(found.body),
        )
    return _cleaned(found, filename)


def _cleaned(found: Extract, filename: str) -> Extract:
    body, starts, counts = _clean_pages(found.body, found.page_starts)
    if not body.strip():
        raise NoTextFound(f"{filename} holds no text that can be read; if it is a scan, run OCR on it first.")
    title, title_counts = clean_text(" ".join((found.title or "").split()))
    metadata, metadata_counts = clean_json(found.metadata)
    counts.update(title_counts)
    counts.update(metadata_counts)
    warnings = [
        ExtractWarning(code=code, detail=_DETAIL_BY_HYGIENE_CODE[code], count=count)
        for code, count in sorted(counts.items())
    ]
    return replace(
        found,
        body=body,
        page_starts=starts,
        title=title or clean_text(PurePosixPath(filename).stem)[0],
        metadata=metadata if isinstance(metadata, dict) else {},
        warnings=(*found.warnings, *warnings),
    )


def _clean_pages(body: str, page_starts: tuple[int, ...]) -> tuple[str, tuple[int, ...], Counter[str]]:
    """Clean page by page, so that the pages' offsets stay true where cleaning shortens the text."""
    bounds = [*page_starts, len(body)] if page_starts else [0, len(body)]
    counts: Counter[str] = Counter()
    pages, starts, length = [], [], 0
    for start, end in pairwise(bounds):
        page, changed = clean_text(body[start:end])
        counts.update(changed)
        pages.append(page)
        starts.append(length)
        length += len(page)
    return "".join(pages), tuple(starts) if page_starts else (), counts
