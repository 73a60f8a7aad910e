"""HTML: the main content as Markdown, with links, lists, tables and code."""

import re

from lxml import etree
from lxml import html as lxml_html

from chalicelib.intake.charset import decode
from chalicelib.intake.errors import DocumentBroken
from chalicelib.intake.extract.formats import reads
from chalicelib.intake.extract.heading_title import without_tags
from chalicelib.intake.extract.html_boilerplate import main_part, remove_boilerplate
from chalicelib.intake.extract.html_markdown import to_markdown
from chalicelib.intake.extract.model import Extract, Source
from chalicelib.intake.extract.plain import charset_warnings

_DECLARED = re.compile(rb"""<(?:meta[^>]*?charset\s*=|\?xml[^>]*?encoding\s*=)\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4096
# Browsers end a script at `</script` whatever stands before the `>`; libxml2 wants the bare tag.
_SCRIPT_END = re.compile(r"</(script|style)\b[^<>]*>", re.IGNORECASE)
# WHATWG: whoever declares ISO-8859-1 or ASCII means windows-1252.
_MEANT = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252", "iso8859-1": "cp1252"}


@reads("text/html")
def extract_html(source: Source) -> Extract:
    """Convert the page without its navigation, banners and scripts; the title is <title>, else the first <h1>."""
    data = source.path.read_bytes()
    found = _DECLARED.search(data[:_DECLARED_WITHIN])
    declared = found[1].decode("ascii", "replace").lower() if found else None
    decoded = decode(data, declared=_MEANT.get(declared, declared) if declared else None)
    root = _parse(decoded.text, source.filename)
    title = without_tags(root.findtext(".//title") or "").strip() or next(
        (h1.text_content() for h1 in root.iter("h1")), None
    )
    language = root.get("lang")
    description = root.xpath("string(.//meta[@name='description']/@content)")
    body = root.find("body")
    page = root if body is None else body
    remove_boilerplate(page)
    metadata = {"language": language, "description": str(description)}
    return Extract(
        body=to_markdown(main_part(page)),
        extractor="html",
        title=title,
        metadata={key: value for key, value in metadata.items() if value},
        charset=decoded.charset,
        warnings=charset_warnings(decoded),
    )


def _parse(text: str, filename: str) -> lxml_html.HtmlElement:
    # huge_tree lifts libxml2's depth limit from 256 to 2,048, past which it drops text; memory and time
    # are bounded by the child process, and the converter does not recurse past its own depth.
    parser = lxml_html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    data = _SCRIPT_END.sub(r"</\1>", text.replace("\x00", "")).encode("utf-8", "replace")
    try:
        root = lxml_html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        _require_whole(parser, filename)
        raise DocumentBroken(f"{filename} is not readable as HTML; open it in a browser and save it again.") from error
    _require_whole(parser, filename)
    return root


def _require_whole(parser: lxml_html.HTMLParser, filename: str) -> None:
    """Raise where libxml2 gave up halfway, which it tells in its log alone."""
    logged = {entry.type for entry in parser.error_log}
    if etree.ErrorTypes.ERR_NO_MEMORY in logged:
        raise MemoryError
    if etree.ErrorTypes.ERR_RESOURCE_LIMIT in logged:
        raise DocumentBroken(f"{filename} nests its elements too deeply to be read whole; upload it as text instead.")
