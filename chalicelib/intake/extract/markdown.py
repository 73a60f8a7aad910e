"""Markdown: front matter becomes metadata; the body is everything after it, verbatim."""

import datetime as dt
import re
from collections.abc import Mapping

import yaml

from chalicelib.intake.charset import decode
from chalicelib.intake.extract.formats import reads
from chalicelib.intake.extract.heading_title import document_title
from chalicelib.intake.extract.headings import first_heading
from chalicelib.intake.extract.model import Extract, ExtractWarning, Source
from chalicelib.intake.extract.plain import charset_warnings

_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_MATTER_WITHIN = 100_000
_FRONT_MATTER_DEPTH = 64


@reads("text/markdown")
def extract_markdown(source: Source) -> Extract:
    """Split off the front matter; its title, else the first level-1 heading, is the item's."""
    decoded = decode(source.path.read_bytes())
    warnings = list(charset_warnings(decoded))
    metadata: dict[str, object] = {}
    body = decoded.text
    block = _FRONT_MATTER.match(body[:_FRONT_MATTER_WITHIN])
    if block:
        try:
            metadata = read_front_matter(block[1])
            body = body[block.end() :]
        except ValueError as error:
            detail = f"The front matter is not readable YAML and was kept as text: {error}"
            warnings.append(ExtractWarning(code="front_matter_broken", detail=detail))
    title = metadata.get("title")
    words = document_title(title) if isinstance(title, str) else ""
    return Extract(
        body=body,
        extractor="markdown",
        title=words or first_heading(body),
        metadata=metadata,
        charset=decoded.charset,
        warnings=tuple(warnings),
    )


def read_front_matter(text: str) -> dict[str, object]:
    """Parse a YAML mapping into JSON values, dates as ISO 8601; raises ValueError for anything else."""
    try:
        _refuse_unbounded(text)
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error).replace("\n", " ")) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("it is no mapping")  # noqa: TRY004 - the text is wrong, not a type in the program
    return {str(key): _json_value(part) for key, part in value.items()}


def _refuse_unbounded(text: str) -> None:
    """Raise ValueError for YAML whose cost is out of proportion to its length.

    An alias repeats what it names, so a few lines of them unfold to gigabytes once written as JSON; PyYAML
    looks at every open collection for each token, so deep nesting takes quadratic time.
    """
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("aliases are not taken")  # noqa: TRY004 - the text is wrong, not a type in the program
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _FRONT_MATTER_DEPTH:
            raise ValueError(f"it nests more than {_FRONT_MATTER_DEPTH} levels deep")


def _json_value(value: object) -> object:
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _json_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_json_value(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
