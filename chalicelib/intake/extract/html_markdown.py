"""An HTML tree as Markdown blocks; headings, lists, tables and code keep their structure."""

import re

from lxml import html

from chalicelib.intake.extract.markdown_text import code_block, code_span, collapse, heading, link, list_item, table

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "td",
        "th",
        "ul",
        "caption",
        "menu",
        "nav",
    ]
)
# Emphasis is left out: its marks would cut phrases in two for search, and say nothing to a reader of passages.
_MARKS = {"del": "~~", "s": "~~", "strike": "~~"}
_DEPTH = 150
_SPAN = 100
# Spans in both directions multiply each other; no real table is as wide as this.
_COLUMNS = 500


def to_markdown(root: html.HtmlElement) -> str:
    """Return `root` as Markdown; what nests deeper than 150 levels keeps its words and loses its structure."""
    return "\n\n".join(_blocks(root, 0)) + "\n"


def _blocks(element: html.HtmlElement, depth: int) -> list[str]:
    """Blocks of a container: runs of inline content become paragraphs between its block children."""
    if depth > _DEPTH:
        return [text] if (text := collapse(" ".join(element.itertext("*")))) else []
    blocks: list[str] = []
    run: list[str] = [element.text or ""]

    def end_run() -> None:
        if text := _lines("".join(run)):
            blocks.append(text)
        run.clear()

    for child in element:
        if isinstance(child.tag, str):
            if _is_block(child, depth):
                end_run()
                blocks.extend(_block(child, depth + 1))
            else:
                run.append(_inline(child, depth + 1))
        run.append(child.tail or "")
    end_run()
    return blocks


def _is_block(element: html.HtmlElement, depth: int) -> bool:
    if element.tag in _BLOCKS:
        return True
    return depth < _DEPTH and len(element) > 0 and next(element.iterdescendants(*_BLOCKS), None) is not None


def _block(element: html.HtmlElement, depth: int) -> list[str]:
    tag = str(element.tag)
    if re.fullmatch(r"h[1-6]", tag):
        text = collapse(_inline_content(element, depth))
        return [heading(int(tag[1]), text)] if text else []
    if tag == "pre":
        return _pre(element)
    if tag in {"ul", "ol", "menu"}:
        return _list(element, depth)
    if tag == "table":
        return _table(element, depth)
    inner = ["---"] if tag == "hr" else _blocks(element, depth)
    if tag == "blockquote" and inner:
        return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(inner).split("\n"))]
    return inner


def _pre(element: html.HtmlElement) -> list[str]:
    for line_break in element.iter("br"):
        line_break.tail = "\n" + (line_break.tail or "")
    text = element.text_content()
    code = element.find("code")
    classes = " ".join([element.get("class", ""), "" if code is None else code.get("class", "")])
    language = re.search(r"\blang(?:uage)?-([\w+#-]+)", classes)
    return [code_block(text, language[1] if language else "")] if text.strip() else []


def _list(element: html.HtmlElement, depth: int) -> list[str]:
    start = element.get("start", "1")
    number = int(start) if re.fullmatch(r"\d{1,6}", start) else 1
    items: list[list[str]] = []
    for child in element:
        if not isinstance(child.tag, str):
            continue
        inner = _list(child, depth + 1) if child.tag in {"ul", "ol"} and depth < _DEPTH else _blocks(child, depth + 1)
        if child.tag in {"ul", "ol"} and items:
            items[-1].extend("   " + line for line in "\n".join(inner).split("\n"))
        elif inner:
            marker = f"{number}." if element.tag == "ol" else "-"
            items.append([list_item(marker, _tight(inner))])
            number += 1
    return ["\n".join(line for item in items for line in item)] if items else []


def _tight(blocks: list[str]) -> str:
    """Join an item's blocks; a nested list follows its line directly, other blocks after an empty line."""
    parts = [blocks[0]]
    for block in blocks[1:]:
        parts += ["\n" if re.match(r"(?:-|\d+\.) ", block) else "\n\n", block]
    return "".join(parts)


def _table(element: html.HtmlElement, depth: int) -> list[str]:
    rows = [row for row in element.iter("tr") if next(row.iterancestors("table")) is element]
    grid: list[list[str]] = []
    pending: dict[int, tuple[int, str]] = {}
    single = True
    blocks: list[str] = []
    for row in rows:
        line: list[str] = []
        cells = [cell for cell in row if cell.tag in {"td", "th"}]
        single = single and len(cells) <= 1 and not pending
        for cell in cells:
            _fill(line, pending)
            inner = _blocks(cell, depth + 1)
            blocks.extend(inner)
            text = "\n".join(inner)
            for _ in range(max(1, min(_span(cell, "colspan"), _COLUMNS - len(line)))):
                if (rows_left := _span(cell, "rowspan") - 1) > 0:
                    pending[len(line)] = (rows_left, text)
                line.append(text)
        _fill(line, pending)
        grid.append(line)
    captions = [collapse(caption.text_content()) for caption in element.iterchildren("caption")]
    body = blocks if single else [table(grid)]
    return [text for text in [*captions, *body] if text]


def _fill(line: list[str], pending: dict[int, tuple[int, str]]) -> None:
    """Repeat in `line` the cells that reach down from rows above."""
    while len(line) in pending:
        left, text = pending.pop(len(line))
        if left > 1:
            pending[len(line)] = (left - 1, text)
        line.append(text)


def _span(cell: html.HtmlElement, name: str) -> int:
    value = cell.get(name, "1").strip()
    return min(max(int(value), 1), _SPAN) if re.fullmatch(r"\d{1,6}", value) else 1


def _inline_content(element: html.HtmlElement, depth: int) -> str:
    if depth > _DEPTH:
        return " ".join(element.itertext("*"))
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(_inline(child, depth + 1))
        parts.append(child.tail or "")
    return "".join(parts)


def _inline(element: html.HtmlElement, depth: int) -> str:
    tag = str(element.tag)
    if tag == "br":
        return "\x0b"
    if tag == "img":
        return collapse(element.get("alt", ""))
    if tag in {"code", "kbd", "samp", "tt"}:
        return code_span(element.text_content())
    inner = _inline_content(element, depth)
    text = inner.strip()
    if tag == "a" and text:
        return inner.replace(text, link(collapse(text), element.get("href", "")), 1)
    mark = _MARKS.get(tag)
    return inner.replace(text, f"{mark}{text}{mark}", 1) if mark and text else inner


def _lines(text: str) -> str:
    """Collapse white space, except that <br>, written as a vertical tab until here, ends a line."""
    return "\n".join(line for part in text.split("\x0b") if (line := collapse(part)))
