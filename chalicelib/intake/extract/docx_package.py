"""The ZIP and XML around a Word document: parts under limits, relationships, styles and numbering."""

import posixpath
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from lxml import etree

from chalicelib.intake.errors import DocumentBroken, ExtractionFailed, InflatedSizeExceeded

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# Word itself knows nine levels of a list and ten of inheritance; a hostile file has more of both.
_LIST_LEVELS = 9
_STYLE_CHAIN = 20
# Documents saved as "strict" say the same in other namespaces.
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", R[1:-1].encode()),
)
# What libxml2 says of well-formed XML past its limits; the codes alone do not tell a comment that is too
# big from one that never ends, nor these limits from the one on entities.
_TOO_DEEP = re.compile(r"Excessive depth")
_TOO_LONG = re.compile(r"too (?:long|big)\b|huge text node|[Bb]uffer size limit")
_LIMIT_CODES = frozenset(
    {
        etree.ErrorTypes.ERR_RESOURCE_LIMIT,
        etree.ErrorTypes.ERR_NAME_TOO_LONG,
        etree.ErrorTypes.ERR_COMMENT_NOT_FINISHED,
        etree.ErrorTypes.ERR_CDATA_NOT_FINISHED,
        etree.ErrorTypes.ERR_PI_NOT_FINISHED,
        etree.ErrorTypes.ERR_ATTRIBUTE_NOT_FINISHED,
        etree.ErrorTypes.ERR_INTERNAL_ERROR,
    }
)


@dataclass(frozen=True, kw_only=True)
class Relation:
    """Where a part points: a target (a part's name, or a URL where external) and what kind it is."""

    kind: str
    target: str
    external: bool


class Package:
    """An OPC package whose parts, all together, may inflate to `inflated_bytes`."""

    def __init__(self, path: Path, *, filename: str, inflated_bytes: int) -> None:
        self._filename = filename
        self._left = inflated_bytes
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise self._broken() from error
        self._names = set(self._zip.namelist())

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def _broken(self) -> DocumentBroken:
        return DocumentBroken(f"{self._filename} is damaged and cannot be opened; save it again and upload that.")

    def _too_much(self) -> InflatedSizeExceeded:
        return InflatedSizeExceeded(f"{self._filename} unpacks to more than can be taken; split it.")

    def _refusal(self, error: etree.XMLSyntaxError) -> ExtractionFailed:
        """Tell XML past a limit of the parser from damaged XML: saving it again helps against damage alone."""
        if error.code in _LIMIT_CODES and _TOO_LONG.search(error.msg):
            return InflatedSizeExceeded(f"{self._filename} holds more in one piece than can be taken; split it.")
        if error.code in _LIMIT_CODES and _TOO_DEEP.search(error.msg):
            return DocumentBroken(
                f"{self._filename} nests its elements too deeply to be read whole; upload it as text instead."
            )
        return self._broken()

    def xml(self, name: str) -> etree._Element | None:
        """Return a part's root, None where the part is missing; no entities, no network, no huge trees."""
        if name not in self._names:
            return None
        data = self._read(name)
        for strict, transitional in _STRICT:
            data = data.replace(strict, transitional)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(data, parser=parser)
        except etree.XMLSyntaxError as error:
            if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
                raise MemoryError from error
            raise self._refusal(error) from error
        except ValueError as error:
            raise self._broken() from error
        if root.getroottree().docinfo.doctype:
            raise self._broken()
        return root

    def _read(self, name: str) -> bytes:
        """Inflate one part, counting what comes out: the directory is believed only where it admits to too much."""
        if self._zip.getinfo(name).file_size > self._left:
            raise self._too_much()
        try:
            with self._zip.open(name) as part:
                data = part.read(self._left + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, EOFError) as error:
            raise self._broken() from error
        self._left -= len(data)
        if self._left < 0:
            raise self._too_much()
        return data

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relations of `part` by id; the package's own for an empty name."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        relations = {}
        for each in [] if root is None else root.iter(_RELATION):
            external = each.get("TargetMode") == "External"
            target = each.get("Target", "")
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            kind = each.get("Type", "").rsplit("/", 1)[-1]
            relations[each.get("Id", "")] = Relation(kind=kind, target=target, external=external)
        return relations

    def main_part(self) -> str:
        """Return the name of the document part."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and relation.target in self._names:
                return relation.target
        if "word/document.xml" in self._names:
            return "word/document.xml"
        raise self._broken()


@dataclass(frozen=True, kw_only=True)
class Styles:
    """Paragraph styles: the heading level (1 to 6) and the list (number id, level) each of them brings."""

    heading_by_style: dict[str, int] = field(default_factory=dict)
    list_by_style: dict[str, tuple[str, int]] = field(default_factory=dict)


def value(element: etree._Element | None, path: str) -> str | None:
    """Return `w:val` of the descendant at `path`, e.g. `pPr/outlineLvl`."""
    found = None if element is None else element.find("/".join(W + step for step in path.split("/")))
    return None if found is None else found.get(W + "val")


def small_number(text: str | None, otherwise: int) -> int:
    """Return a number of at most 100, whatever the file says."""
    return min(int(text), 100) if text and re.fullmatch(r"\d{1,4}", text) else otherwise


def outline_level(element: etree._Element) -> int | None:
    """Return the heading level (1 to 6) that a paragraph's or style's own outline level gives it."""
    outline = small_number(value(element, "pPr/outlineLvl"), 9)
    return min(outline + 1, 6) if outline < 9 else None


def read_styles(root: etree._Element | None) -> Styles:
    """Read styles with what they inherit; a style's built-in name is English whatever its language."""
    own = {} if root is None else {style.get(W + "styleId", ""): _own_of(style) for style in root.iter(W + "style")}
    styles = Styles()
    for style_id in own:
        chain: dict[str | None, _Own] = {}
        current: str | None = style_id
        while current in own and current not in chain and len(chain) < _STYLE_CHAIN:
            chain[current] = own[current]
            current = own[current].based_on
        level = next((each.level for each in chain.values() if each.level), None)
        number = next((each.number for each in chain.values() if each.number), None)
        depth = next((each.depth for each in chain.values() if each.depth), None)
        if level:
            styles.heading_by_style[style_id] = level
        elif number and number != "0":
            styles.list_by_style[style_id] = (number, small_number(depth, 0))
    return styles


@dataclass(frozen=True, slots=True)
class _Own:
    """What a style says itself, before it inherits."""

    based_on: str | None
    level: int | None
    number: str | None
    depth: str | None


def _own_of(style: etree._Element) -> _Own:
    return _Own(
        value(style, "basedOn"),
        _heading_level(style),
        value(style, "pPr/numPr/numId"),
        value(style, "pPr/numPr/ilvl"),
    )


def _heading_level(style: etree._Element) -> int | None:
    name = (value(style, "name") or "").lower()
    if name == "title":
        return 1
    found = re.fullmatch(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|nagłówek) ?([1-9])", name)
    if found:
        return min(int(found[1]), 6)
    return outline_level(style)


def read_numbering(root: etree._Element | None) -> dict[tuple[str, int], bool]:
    """Return whether (number id, level) is ordered; what is missing is a bullet."""
    ordered: dict[tuple[str, int], bool] = {}
    if root is None:
        return ordered
    abstract = {each.get(W + "abstractNumId", ""): each for each in root.iter(W + "abstractNum")}
    for number in root.iter(W + "num"):
        number_id = number.get(W + "numId", "")
        definition = abstract.get(value(number, "abstractNumId") or "")
        overrides = list(number.iter(W + "lvl"))
        defined = [] if definition is None else islice(definition.iter(W + "lvl"), _LIST_LEVELS)
        for level in [*defined, *overrides]:
            depth = level.get(W + "ilvl", "0")
            kind = value(level, "numFmt") or "decimal"
            ordered[number_id, small_number(depth, 0)] = kind not in {"bullet", "none"}
    return ordered
