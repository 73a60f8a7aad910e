"""Word documents: body, notes, comments, headers and footers as Markdown; macros are never looked at."""

from lxml import etree

from chalicelib.intake.errors import DocumentBroken
from chalicelib.intake.extract.docx_package import Package, W, read_numbering, read_styles
from chalicelib.intake.extract.docx_walk import Walker
from chalicelib.intake.extract.formats import reads
from chalicelib.intake.extract.heading_title import without_tags
from chalicelib.intake.extract.markdown_text import collapse
from chalicelib.intake.extract.model import Extract, Source

_DC = "{http://purl.org/dc/elements/1.1/}"
_CP = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_TERMS = "{http://purl.org/dc/terms/}"
_NOTE_PARTS = {"fn": ("footnotes", "footnote"), "en": ("endnotes", "endnote"), "comment": ("comments", "comment")}
_PROPERTIES = {
    "author": _DC + "creator",
    "subject": _DC + "subject",
    "language": _DC + "language",
    "keywords": _CP + "keywords",
    "created": _TERMS + "created",
    "modified": _TERMS + "modified",
}


@reads(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.ms-word.document.macroenabled.12",
)
def extract_docx(source: Source) -> Extract:
    """Headers first, then the body, footers, and the notes and comments as Markdown footnotes."""
    package = Package(source.path, filename=source.filename, inflated_bytes=source.limits.inflated_bytes)
    try:
        return _extract(package, source.filename)
    finally:
        package.close()


def _extract(package: Package, filename: str) -> Extract:
    name = package.main_part()
    root = package.xml(name)
    body = None if root is None else root.find(W + "body")
    if body is None:
        raise DocumentBroken(f"{filename} has no document in it; save it again and upload that.")
    relations = package.relations(name)
    part_by_kind: dict[str, list[str]] = {}
    for relation in relations.values():
        part_by_kind.setdefault(relation.kind, []).append(relation.target)
    walker = Walker(
        styles=read_styles(_first(package, part_by_kind, "styles")),
        ordered=read_numbering(_first(package, part_by_kind, "numbering")),
        relations=relations,
    )
    main = walker.blocks(body)
    title = walker.title
    headers = _around(package, walker, part_by_kind.get("header", []))
    footers = _around(package, walker, part_by_kind.get("footer", []))
    notes = _notes(package, walker, part_by_kind)
    metadata, own_title = _properties(package)
    return Extract(
        body="\n\n".join([*headers, *main, *footers, *notes]) + "\n",
        extractor="docx",
        title=own_title or title,
        metadata=metadata,
    )


def _first(package: Package, part_by_kind: dict[str, list[str]], kind: str) -> etree._Element | None:
    parts = part_by_kind.get(kind, [])
    return package.xml(parts[0]) if parts else None


def _around(package: Package, walker: Walker, parts: list[str]) -> list[str]:
    """Return headers or footers, each text once although sections repeat it."""
    blocks: dict[str, None] = {}
    main_relations = walker.relations
    for part in sorted(set(parts)):
        root = package.xml(part)
        if root is not None:
            walker.relations = package.relations(part)
            blocks.update(dict.fromkeys(block for block in walker.blocks(root) if not block.isdigit()))
    walker.relations = main_relations
    return list(blocks)


def _notes(package: Package, walker: Walker, part_by_kind: dict[str, list[str]]) -> list[str]:
    """Return the notes that were referred to as `[^fn1]: …`, in the order of their references."""
    elements: dict[tuple[str, str], tuple[str, etree._Element]] = {}
    for kind, (part_kind, tag) in _NOTE_PARTS.items():
        for part in part_by_kind.get(part_kind, []):
            root = package.xml(part)
            for each in [] if root is None else root.iter(W + tag):
                elements[kind, each.get(W + "id", "")] = (part, each)
    blocks: list[str] = []
    done: set[tuple[str, str]] = set()
    for key in walker.noted:
        if key in elements and key not in done:
            done.add(key)
            part, element = elements[key]
            walker.relations = package.relations(part)
            text = "\n\n".join(walker.blocks(element)).replace("\n", "\n    ")
            author = element.get(W + "author", "")
            said = f"{author}: {text}" if key[0] == "comment" and author else text
            blocks.append(f"[^{key[0]}{key[1]}]: {said}")
    return blocks


def _properties(package: Package) -> tuple[dict[str, object], str | None]:
    parts = [each.target for each in package.relations("").values() if each.kind == "core-properties"]
    root = package.xml(parts[0]) if parts else None
    if root is None:
        return {}, None
    found = {name: collapse(root.findtext(tag) or "") for name, tag in _PROPERTIES.items()}
    title = collapse(root.findtext(_DC + "title") or "")
    return {name: text for name, text in found.items() if text}, without_tags(title) or None
