"""WordprocessingML as Markdown blocks, in reading order, with tracked changes as accepted."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from chalicelib.intake.extract.docx_package import R, Relation, Styles, W, outline_level, small_number, value
from chalicelib.intake.extract.heading_title import document_title
from chalicelib.intake.extract.markdown_text import collapse, heading, link, list_item, table

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_GONE = {W + "del", W + "moveFrom", W + "pPr", W + "rPr", W + "instrText", W + "delText", W + "sdtPr", W + "rubyPr"}
_TEXT = {W + "tab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-", W + "softHyphen": ""}
_NOTES = {W + "footnoteReference": "fn", W + "endnoteReference": "en", W + "commentReference": "comment"}
_DEPTH = 40


@dataclass(kw_only=True)
class Walker:
    """Walks one part; the notes it meets are collected in `noted`, in the order of their references."""

    styles: Styles
    ordered: dict[tuple[str, int], bool]
    relations: dict[str, Relation]
    noted: list[tuple[str, str]] = field(default_factory=list)
    title: str | None = None
    _numbers: Counter[tuple[str, int]] = field(default_factory=Counter)
    _pending: list[str] = field(default_factory=list)

    def blocks(self, container: etree._Element, depth: int = 0) -> list[str]:
        """Return the Markdown blocks of a body, cell, note or content control."""
        blocks: list[str] = []
        items: list[str] = []
        for element in _flow(container):
            if element.tag == W + "tbl":
                new = [text] if (text := self._table(element, depth)) else []
                is_item = False
            else:
                new, is_item = self._paragraph(element, depth)
            if is_item:
                items.extend(new)
            elif new:
                blocks.extend(_list_block(items))
                blocks.extend(new)
                items = []
        return [*blocks, *_list_block(items)]

    def _paragraph(self, paragraph: etree._Element, depth: int) -> tuple[list[str], bool]:
        """Return the paragraph, then its text boxes, and whether it is a list item."""
        text = self._inline(paragraph)
        lines = "\n".join(line for part in text.split("\n") if (line := collapse(part)))
        boxes = [block for box in _text_boxes(paragraph) for block in self._inner(box, depth)]
        # A reference stands at the paragraph's end, so that no phrase is cut by it.
        lines, self._pending = " ".join([lines, *self._pending]).strip(), []
        if not lines:
            return boxes, False
        style = value(paragraph, "pPr/pStyle") or ""
        level = outline_level(paragraph) or self.styles.heading_by_style.get(style)
        if level:
            self.title = self.title or document_title(lines)
            return [heading(level, lines), *boxes], False
        listed = self._list_of(paragraph, style)
        if listed:
            return [self._item(listed, lines), *boxes], not boxes
        return [lines, *boxes], False

    def _list_of(self, paragraph: etree._Element, style: str) -> tuple[str, int] | None:
        number = value(paragraph, "pPr/numPr/numId")
        if number is None:
            return self.styles.list_by_style.get(style)
        depth = small_number(value(paragraph, "pPr/numPr/ilvl"), 0)
        return (number, min(depth, 8)) if number != "0" else None

    def _item(self, listed: tuple[str, int], lines: str) -> str:
        number, depth = listed
        self._numbers[listed] += 1
        for deeper in range(depth + 1, 9):
            self._numbers.pop((number, deeper), None)
        marker = f"{self._numbers[listed]}." if self.ordered.get(listed) else "-"
        indent = "   " * depth
        return "\n".join(indent + line for line in list_item(marker, lines).split("\n"))

    def _table(self, element: etree._Element, depth: int) -> str:
        rows: list[list[str]] = []
        for row in _children(element, W + "tr"):
            if row.find(f"{W}trPr/{W}del") is not None:
                continue
            cells: list[str] = [""] * small_number(value(row, "trPr/gridBefore"), 0)
            for cell in _children(row, W + "tc"):
                merge = cell.find(f"{W}tcPr/{W}vMerge")
                continued = merge is not None and merge.get(W + "val", "continue") == "continue"
                above = rows[-1][len(cells)] if rows and len(cells) < len(rows[-1]) else ""
                inner = self._inner(cell, depth)
                text = above if continued and not inner else "\n".join(inner)
                cells.extend([text] * small_number(value(cell, "tcPr/gridSpan"), 1))
            rows.append(cells)
        # A nested table reads as lines of its cell: its rules and pipes would break the outer one.
        return table(rows) if depth == 0 else "\n".join(_flat(row) for row in rows if any(row))

    def _inner(self, container: etree._Element, depth: int) -> list[str]:
        """Return what stands inside a cell or text box; past 40 levels its words alone."""
        if depth < _DEPTH:
            return self.blocks(container, depth + 1)
        text = collapse(" ".join(container.itertext(W + "t")))
        return [text] if text else []

    def _inline(self, element: etree._Element) -> str:
        return "".join(self._runs(element, 0))

    def _runs(self, element: etree._Element, depth: int) -> Iterator[str]:
        for child in _chosen(element):
            tag = child.tag
            if tag in _GONE or tag == W + "txbxContent" or depth > 200:
                continue
            if tag in (W + "t", _M + "t"):
                yield child.text or ""
            elif tag in _TEXT:
                yield _TEXT[str(tag)]
            elif tag == W + "hyperlink":
                relation = self.relations.get(child.get(R + "id", ""))
                text = "".join(self._runs(child, depth + 1))
                yield link(collapse(text), relation.target) if relation and relation.external else text
            elif tag in _NOTES:
                self._note(_NOTES[str(tag)], child.get(W + "id", ""))
            elif tag == W + "sym":
                yield _symbol(child.get(W + "char", ""))
            else:
                yield from self._runs(child, depth + 1)

    def _note(self, kind: str, note_id: str) -> None:
        self.noted.append((kind, note_id))
        self._pending.append(f"[^{kind}{note_id}]")


def _list_block(items: list[str]) -> list[str]:
    return ["\n".join(items)] if items else []


def _flat(row: list[str]) -> str:
    return ", ".join(collapse(cell) for cell in row if cell.strip())


def _symbol(char: str) -> str:
    """Symbol fonts live in the private use area, where no reader could tell what was meant."""
    code = int(char, 16) if re.fullmatch(r"[0-9A-Fa-f]{4}", char) else 0
    return chr(code) if code and not 0xE000 <= code <= 0xF8FF and not 0xD800 <= code <= 0xDFFF else ""


def _chosen(element: etree._Element) -> Iterator[etree._Element]:
    """Children, with the first choice of each mc:AlternateContent in its place: both say the same."""
    for child in element:
        if child.tag == _MC + "AlternateContent":
            choice = child.find(_MC + "Choice")
            chosen = child.find(_MC + "Fallback") if choice is None else choice
            if chosen is not None:
                yield from _chosen(chosen)
        elif isinstance(child.tag, str):
            yield child


def _children(element: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Children called `tag`, through content controls, insertions and custom XML around them."""
    for child in _chosen(element):
        if child.tag == tag:
            yield child
        elif child.tag not in _GONE and child.tag not in (W + "tbl", W + "p", W + "tr", W + "tc"):
            yield from _children(child, tag)


def _flow(container: etree._Element) -> Iterator[etree._Element]:
    """Paragraphs and tables of a container, through whatever wraps them."""
    for child in _chosen(container):
        if child.tag in (W + "p", W + "tbl"):
            yield child
        elif child.tag not in _GONE and child.tag not in (W + "sectPr", W + "tcPr", W + "tblPr"):
            yield from _flow(child)


def _text_boxes(element: etree._Element) -> Iterator[etree._Element]:
    for child in _chosen(element):
        if child.tag == W + "txbxContent":
            yield child
        elif child.tag not in _GONE:
            yield from _text_boxes(child)
