"""Markdown out of structure: escaped text, tables, code, links, lists; shared by the formats that have structure."""

import re
from collections.abc import Sequence

_SPACE = re.compile(r"[ \t\r\n\u00a0]+")


def collapse(text: str) -> str:
    """Return `text` with each run of white space as one blank."""
    return _SPACE.sub(" ", text).strip()


def heading(level: int, text: str) -> str:
    """Return an ATX heading, level 1 to 6."""
    return f"{'#' * min(max(level, 1), 6)} {collapse(text)}"


def link(text: str, target: str) -> str:
    """Return a link, or the bare text where the target leads nowhere outside the document."""
    target = target.strip()
    if not text or not target or target.startswith(("#", "javascript:", "data:", "vbscript:")):
        return text
    if re.search(r"[\s()<>]", target):
        target = "<" + re.sub(r"[<>\s]", lambda bad: f"%{ord(bad[0]):02X}", target) + ">"
    return f"[{text}]({target})" if text != target else f"<{target}>"


def code_block(text: str, language: str = "") -> str:
    """Return a fenced block whose fence is longer than any inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join([fence + language, text.strip("\r\n"), fence])


def code_span(text: str) -> str:
    """Return inline code."""
    mark = "``" if "`" in text else "`"
    return f"{mark}{text}{mark}" if text.strip() else text


def list_item(marker: str, text: str) -> str:
    """Return an item whose further lines stand under its first."""
    indent = " " * (len(marker) + 1)
    lines = text.split("\n")
    return "\n".join([f"{marker} {lines[0]}", *(indent + line if line.strip() else "" for line in lines[1:])])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose first row is the header; one column alone becomes paragraphs.

    Line ends inside a cell become ` / `, so that a row stays one line.
    """
    width = max((len(row) for row in rows), default=0)
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return ""
    if width == 1:
        return "\n\n".join(row[0].strip() for row in filled)
    lines = ["| " + " | ".join(_cell(cell) for cell in [*row, *[""] * (width - len(row))]) + " |" for row in filled]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cell(text: str) -> str:
    parts = (collapse(line) for line in text.split("\n"))
    return " / ".join(part for part in parts if part).replace("|", "\\|")
