"""PDF: the text layer, page by page, with ligatures and hyphenation mended."""

import logging
import re
import unicodedata
import warnings as python_warnings
from collections.abc import Iterator, Mapping
from datetime import datetime

from pypdf import PdfReader
from pypdf.errors import DependencyError, LimitReachedError, PyPdfError

from chalicelib.intake.errors import (
    DocumentBroken,
    InflatedSizeExceeded,
    NoTextFound,
    PagesExceeded,
    PasswordRequired,
)
from chalicelib.intake.extract.formats import reads
from chalicelib.intake.extract.heading_title import without_tags
from chalicelib.intake.extract.model import Extract, ExtractWarning, Source

# What pypdf lets through on damaged files, beside its own errors.
_DAMAGE = (
    PyPdfError,
    DependencyError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    RecursionError,
    NotImplementedError,
    OSError,
)
_PRESENTATION_FORMS = re.compile("[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]+")
_HYPHENATED = re.compile(r"(?<=[a-zß-öø-ÿ]{2})[-\u00ad\u2010]\n(?=[a-zß-öø-ÿ]{2})")
_LISTED = 20


@reads("application/pdf")
def extract_pdf(source: Source) -> Extract:
    """Read every page's text layer; pages without one are named in a warning, and none at all is NoTextFound."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore")
        reader = _open(source)
        pages, broken = _read_pages(reader)
        title, metadata = _describe(reader)
    fields = _form_fields(reader)
    empty = [number for number, text in enumerate(pages, 1) if not text and number not in broken]
    if not any(pages) and any(isinstance(error, LimitReachedError) for error in broken.values()):
        raise InflatedSizeExceeded(f"{source.filename} unpacks to more than can be taken; export it again or split it.")
    if not any(pages) and broken:
        raise DocumentBroken(f"{source.filename} is damaged and no page of it can be read; export it again.")
    if not any(pages):
        raise NoTextFound(
            f"{source.filename} has no text layer on any of its {len(pages)} pages; run OCR on it and upload it again.",
            pages=len(pages),
        )
    if fields:
        pages[-1] = f"{pages[-1]}\n\n{fields}".strip()
    starts, length = [], 0
    for text in pages:
        starts.append(length)
        length += len(text) + 2
    return Extract(
        body="".join(f"{text}\n\n" for text in pages),
        extractor="pdf",
        title=title,
        metadata={**metadata, "pages": len(pages)},
        page_starts=tuple(starts),
        warnings=(
            *_page_warning(
                "pages_without_text", "has no text layer, perhaps a scan", "have no text layer, perhaps scans", empty
            ),
            *_page_warning("pages_broken", "could not be read", "could not be read", list(broken)),
        ),
    )


def _open(source: Source) -> PdfReader:
    try:
        reader = PdfReader(source.path, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise PasswordRequired(
                f"{source.filename} opens only with a password; save it without one and upload it again."
            )
        count = len(reader.pages)
    except _DAMAGE as error:
        raise DocumentBroken(f"{source.filename} is damaged and cannot be opened; export it again.") from error
    if count > source.limits.pages:
        raise PagesExceeded(
            f"{source.filename} has {count} pages, more than {source.limits.pages}; split it.",
            limit=source.limits.pages,
            found=count,
        )
    if not count:
        raise DocumentBroken(f"{source.filename} has no pages; export it again.")
    return reader


def _read_pages(reader: PdfReader) -> tuple[list[str], dict[int, Exception]]:
    """Return each page's text, and by number what was wrong with the pages that are damaged."""
    pages: list[str] = []
    broken: dict[int, Exception] = {}
    for number in range(1, len(reader.pages) + 1):
        try:
            text = reader.pages[number - 1].extract_text()
        except _DAMAGE as error:
            text = ""
            broken[number] = error
        pages.append(mend(text))
    return pages, broken


def mend(text: str) -> str:
    r"""Resolve ligatures and presentation forms, and join words that a line end cut in two.

    Only lower-case halves are joined, so that `Order-\nID` and `COVID-\n19` keep their hyphen.
    """
    text = _PRESENTATION_FORMS.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text.replace("\r\n", "\n"))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    text = _HYPHENATED.sub("", text).replace("\u00ad", "")
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _describe(reader: PdfReader) -> tuple[str | None, dict[str, object]]:
    try:
        found: Mapping[str, object] = reader.metadata or {}
        values = {
            name: str(found[key]).strip()
            for name, key in (("author", "/Author"), ("subject", "/Subject"), ("keywords", "/Keywords"))
            if found.get(key)
        }
        title = str(found["/Title"]).strip() if found.get("/Title") else None
        created = reader.metadata.creation_date if reader.metadata else None
    except _DAMAGE:
        return None, {}
    metadata: dict[str, object] = {key: value for key, value in values.items() if value}
    if isinstance(created, datetime):
        metadata["created"] = created.isoformat()
    # Printing from an editor leaves its file name as the title; the upload's own name says more.
    office = title and re.search(
        r"^(microsoft word|untitled|unbenannt)|\.(docx?|pptx?|xlsx?|indd|tex|dvi)$", title, re.IGNORECASE
    )
    return None if office or not title else without_tags(title), metadata


def _form_fields(reader: PdfReader) -> str:
    """Return filled form fields as a list, because their values are not part of any page's text."""
    try:
        fields = reader.get_fields() or {}
        lines = [f"- {name}: {value}" for name, value in _filled(fields)]
    except _DAMAGE:
        return ""
    return "\n".join(lines)


def _filled(fields: dict[str, object]) -> Iterator[tuple[str, str]]:
    for name, form_field in fields.items():
        value = getattr(form_field, "value", None)
        if isinstance(value, list):
            value = ", ".join(str(part) for part in value)
        text = " ".join(str(value or "").split()).removeprefix("/")
        if text and text != "Off":
            yield " ".join(str(name).split()), text


def _page_warning(code: str, one: str, many: str, numbers: list[int]) -> list[ExtractWarning]:
    if not numbers:
        return []
    listed = ", ".join(map(str, numbers[:_LISTED])) + (" …" if len(numbers) > _LISTED else "")
    detail = f"Page {listed} {one}." if len(numbers) == 1 else f"Pages {listed} {many}."
    return [ExtractWarning(code=code, detail=detail, count=len(numbers))]
