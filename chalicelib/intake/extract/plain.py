"""Text, source code and data files, taken verbatim."""

import json

from chalicelib.intake.charset import Decoded, decode
from chalicelib.intake.extract.formats import reads
from chalicelib.intake.extract.model import Extract, ExtractWarning, Source


@reads("text/plain", "text/x-source", "text/csv", "text/tab-separated-values", "application/yaml", "application/xml")
def extract_plain(source: Source) -> Extract:
    """Take the file as it stands."""
    decoded = decode(source.path.read_bytes())
    return Extract(body=decoded.text, extractor="text", charset=decoded.charset, warnings=charset_warnings(decoded))


@reads("application/json")
def extract_json(source: Source) -> Extract:
    """Take JSON as it stands, and say so where it is broken; JSON Lines are several values and fine."""
    found = extract_plain(source)
    if source.filename.lower().endswith((".jsonl", ".ndjson")):
        return found
    try:
        json.loads(found.body.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        warning = ExtractWarning(code="json_broken", detail=f"This is not valid JSON ({error}); it is kept as text.")
        return Extract(body=found.body, extractor="text", charset=found.charset, warnings=(*found.warnings, warning))
    return found


def charset_warnings(decoded: Decoded) -> tuple[ExtractWarning, ...]:
    """Tell what a reader should know about how bytes became text: a guessed charset, bytes that made no sense."""
    warnings = []
    if decoded.known_by == "detection":
        detail = f"The charset was guessed: {decoded.charset}."
        warnings.append(ExtractWarning(code="charset_guessed", detail=detail))
    if decoded.undecodable:
        detail = f"Bytes that make no sense in {decoded.charset} were replaced by U+FFFD."
        warnings.append(ExtractWarning(code="undecodable", detail=detail, count=decoded.undecodable))
    return tuple(warnings)
