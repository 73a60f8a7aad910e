"""Statement files: SQL beside the store that runs it, each statement with a name and a line of intent.

A file is a series of

    -- name: insert_item
    -- Add the living item of a path.
    insert into items ...
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from types import MappingProxyType

_HEADER = re.compile(r"^-- name: (?P<name>[a-z][a-z0-9_]*)\n-- (?P<intent>.+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    """One named statement with `%(name)s` parameters."""

    name: str
    intent: str
    text: bytes


def load_statements(package: str, filename: str) -> Mapping[str, Statement]:
    """Read a statement file that lies in `package`. Raises ValueError where it is malformed."""
    return parse_statements(files(package).joinpath(filename).read_text("utf-8"), origin=f"{package}/{filename}")


def filled(statements: Mapping[str, Statement], parts: Mapping[str, Statement]) -> Mapping[str, Statement]:
    """Return the statements with the text of each part in the place of its `<name>`."""
    texts = {f"<{name}>".encode(): part.text for name, part in parts.items()}

    def fill(statement: Statement) -> Statement:
        text = statement.text
        for place, part in texts.items():
            text = text.replace(place, part)
        return replace(statement, text=text)

    return MappingProxyType({name: fill(statement) for name, statement in statements.items()})


def parse_statements(text: str, *, origin: str) -> Mapping[str, Statement]:
    """Split the text of a statement file by its headers, keeping the order."""
    headers = list(_HEADER.finditer(text))
    if text.count("-- name:") != len(headers):
        raise ValueError(f"{origin}: a statement lacks its name or its line of intent")
    ends = [header.start() for header in headers[1:]] + [len(text)]
    statements: dict[str, Statement] = {}
    for header, end in zip(headers, ends, strict=True):
        name = header["name"]
        if name in statements:
            raise ValueError(f"{origin}: the statement {name} is there twice")
        statements[name] = Statement(name, header["intent"], _bare(text[header.end() : end]).encode())
    return MappingProxyType(statements)


def _bare(text: str) -> str:
    """Leave out comments and indentation: the driver remembers how it read a statement up to 4,096 characters alone."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return "\n".join(line for line in lines if not line.startswith("--"))
