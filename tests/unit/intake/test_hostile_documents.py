"""Documents made to harm: each costs bounded time and memory, and ends in a clear error or in its words."""

import resource
import struct
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from chalicelib.errors import LorebaseError
from chalicelib.intake.errors import DocumentBroken, ExtractionFailed, InflatedSizeExceeded, NoTextFound, TextExceeded
from chalicelib.intake.extract.model import Extract, ExtractLimits
from chalicelib.intake.sandbox import Sandbox
from chalicelib.intake.sniff import sniff, sniff_file
from tests.fixtures.documents import paragraph, part, pdf_of, pdf_of_pages, pdf_page, pdf_stream, write_docx

LIMITS = ExtractLimits(seconds=60, memory_bytes=768 * 1024 * 1024, inflated_bytes=64 * 1024 * 1024)
PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
WORDS = pdf_stream(b"BT /F1 12 Tf 72 700 Td (Words survive) Tj ET")
Read = Callable[[Path], Extract]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(size=1) as running:
        yield running


@pytest.fixture
def read(sandbox: Sandbox) -> Read:
    """Read through the sandbox, whose limit of memory holds, in a fraction of the time that quadratic work takes."""

    def read_within_limits(path: Path) -> Extract:
        started = time.process_time()
        try:
            return sandbox.extract(path, sniff_file(path, path.name), filename=path.name, limits=LIMITS)
        finally:
            assert time.process_time() - started < 2, "the parent's own work grows with the document"

    return read_within_limits


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE d [<!ENTITY a "ha">'
        + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(20))
        + '<!ENTITY e "&u;">]>',
    ],
    ids=["external entity", "billion laughs"],
)
def test_entities_in_a_word_document_are_refused(tmp_path: Path, read: Read, doctype: str) -> None:
    path = tmp_path / "entities.docx"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("word/document.xml", doctype + part("document", f"<w:body>{paragraph('&e;')}</w:body>"))
    with pytest.raises(DocumentBroken):
        read(path)


def test_a_word_document_that_inflates_past_the_limit_is_refused_even_if_its_directory_lies(
    tmp_path: Path, read: Read
) -> None:
    path = write_docx(tmp_path / "bomb.docx", paragraph("a" * 80_000_000))
    with pytest.raises(InflatedSizeExceeded):
        read(path)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 100)
    with pytest.raises(ExtractionFailed):
        read(written(path, bytes(data)))


@pytest.mark.slow
def test_a_zip_of_a_hundred_thousand_entries_is_read(tmp_path: Path, read: Read) -> None:
    path = write_docx(tmp_path / "many.docx", paragraph("Words survive"))
    with zipfile.ZipFile(path, "a") as package:
        for number in range(100_000):
            package.writestr(f"x/{number}", b"")
    assert read(path).body == "Words survive\n"


def test_a_zip_inside_a_zip_is_not_unpacked(tmp_path: Path, read: Read) -> None:
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as package:
        package.writestr("word/document.xml", "x")
    path = tmp_path / "nested.docx"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("word/document.xml", inner.getvalue())
    with pytest.raises(DocumentBroken):
        read(path)


def test_xml_nested_past_all_reason_is_refused(tmp_path: Path, read: Read) -> None:
    deep = "<w:sdt><w:sdtContent>" * 50_000 + "</w:sdtContent></w:sdt>" * 50_000
    with pytest.raises(DocumentBroken, match="too deeply"):
        read(write_docx(tmp_path / "deep.docx", deep))


def test_long_chains_of_styles_and_lists_stay_linear(tmp_path: Path, read: Read) -> None:
    chain = "".join(f'<w:style w:styleId="s{n}"><w:basedOn w:val="s{n + 1}"/></w:style>' for n in range(20_000))
    item = paragraph("one", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    found = read(write_docx(tmp_path / "chain.docx", item * 30_000, {"styles": part("styles", chain)}))
    assert found.body == "\n".join(["- one"] * 30_000) + "\n"


@pytest.mark.parametrize("tag", ["div", "span", "ul", "blockquote", "table"])
def test_html_nested_too_deeply_is_refused_rather_than_cut(tmp_path: Path, read: Read, tag: str) -> None:
    with pytest.raises(DocumentBroken, match="too deeply"):
        read(written(tmp_path / "deep.html", "<html><body>" + f"<{tag}>" * 100_000 + "words"))


@pytest.mark.parametrize(
    "inner",
    [
        f'<p class="{"menu " * 2_000_000}" title="{"x" * 10_000_000}">Words survive</p>',
        "<div class='menu'>a</div>" * 30_000 + f"<p>{'Words survive ' * 100_000}</p>",
        "<p>Words survive" + "<button>b</button>word " * 50_000,
        "<ul><li>Words survive" + "<ul><li>x</ul>" * 30_000,
        "<ul>" + "<li>Words survive</li><ul><li>x</ul>" * 20_000,
        f"{'<i>' * 140}<p>Words survive</p>{'</i>' * 140}" * 200,
        "<p>Words survive</p>" + "</script " * 300_000,
        "<p>Words survive</p>" + "<!-- --><!--" * 100_000,
        "<p>Words survive</p>" + "<meta " * 20_000,
    ],
    ids=["attribute", "names", "dropped", "items", "lists", "inline", "script ends", "comments", "meta"],
)
def test_wide_html_takes_linear_time(tmp_path: Path, read: Read, inner: str) -> None:
    assert "Words survive" in read(written(tmp_path / "wide.html", f"<html><body>{inner}")).body


def test_spans_do_not_multiply_each_other(tmp_path: Path, read: Read) -> None:
    rows = "<tr><td rowspan=999999 colspan=999999>Words survive</td></tr>" * 500
    body = read(written(tmp_path / "spans.html", f"<html><body><table>{rows}</table>")).body
    assert body.splitlines()[-1].count("Words survive") < 700


@pytest.mark.parametrize(
    "head", [b"<!-- -->" * 8000 + b"x", b"<?xml " * 10_000, b" " * 65_000 + b"<", b"<!doctype" + b" " * 65_000]
)
def test_what_stands_before_html_is_passed_over_once(head: bytes) -> None:
    started = time.process_time()
    assert sniff(head, "page.txt") == "text/plain"
    assert time.process_time() - started < 1


def test_names_in_a_hostile_zip_directory_do_not_fill_the_memory() -> None:
    tail = (b"PK\x01\x02" + b"\xff" * 28) * 8000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sniff(b"PK\x03\x04" + tail, "a.zip", tail=tail) == "application/zip"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50 * 1024 * (1024 if sys.platform == "darwin" else 1)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 8_000_000,
        "# a" + " " * 500_000 + "x",
        "# a" + " #" * 500_000 + "x",
        "# a" + " \t" * 200_000 + "#" * 200_000 + "x",
        "`" * 8_000_000,
        "---\n" + "\n--" * 30_000,
        "---\na: " + "[" * 90_000 + "\n---\nx",
        "---\na: " + "{a: " * 20_000 + "\n---\nx",
        "---\n" + "- " * 40_000 + "\n---\nx",
    ],
    ids=["one line", "blanks", "hashes", "closing", "ticks", "rules", "brackets", "braces", "dashes"],
)
def test_markdown_of_any_shape_takes_linear_time(tmp_path: Path, read: Read, text: str) -> None:
    assert len(read(written(tmp_path / "a.md", text)).body) == len(text)


def test_fifty_megabytes_of_text_are_refused_by_their_length(tmp_path: Path, read: Read) -> None:
    path = written(tmp_path / "big.txt", ("The quick brown fox jumps over the lazy dog. " * 11 + "\n") * 100_000)
    with pytest.raises(TextExceeded) as refused:
        read(path)
    assert refused.value.members["found"] == path.stat().st_size


@pytest.mark.parametrize(
    "objects",
    [
        [CATALOG, b"<</Type/Pages/Kids[2 0 R]/Count 1>>"],
        [CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", b"<</Type/Pages/Kids[2 0 R]/Parent 2 0 R/Count 1>>"],
        [CATALOG, PAGES, pdf_page(4), b"4 0 R"],
        [CATALOG, PAGES, pdf_page(4), b"5 0 R", b"4 0 R"],
        [CATALOG, PAGES, pdf_page(4), b"[" * 500_000],
        [CATALOG, b"<</Type/Pages/Kids[%s]/Count 200000>>" % (b"3 0 R " * 200_000), pdf_page(4), WORDS],
    ],
    ids=["tree", "parents", "itself", "each other", "arrays", "same page"],
)
def test_a_pdf_that_leads_in_circles_is_said_to_be_broken_or_empty(
    tmp_path: Path, read: Read, objects: list[bytes]
) -> None:
    with pytest.raises((DocumentBroken, NoTextFound)):
        read(written(tmp_path / "loop.pdf", pdf_of(*objects)))


def test_loops_beside_the_pages_leave_their_text_alone(tmp_path: Path, read: Read) -> None:
    outline = [b"<</First 6 0 R/Last 6 0 R>>", b"<</Title(x)/Next 6 0 R/First 6 0 R>>"]
    catalog = b"<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R/AcroForm<</Fields[7 0 R]>>>>"
    field = b"<</T(a)/FT/Tx/V(x)/Kids[7 0 R]>>"
    path = written(tmp_path / "loop.pdf", pdf_of(catalog, PAGES, pdf_page(4), WORDS, *outline, field))
    assert read(path).body.startswith("Words survive")
    looped = pdf_of_pages("Words survive")
    at = looped[looped.rindex(b"startxref\n") + 10 :].split(b"\n")[0]
    path.write_bytes(looped.replace(b"/Root 1 0 R>>", b"/Root 1 0 R/Prev " + at + b">>"))
    assert read(path).body.startswith("Words survive")


def gigabytes() -> bytes:
    """Return 4 GB of zeros, deflated block by block; each block stands alone, so one can be repeated."""
    packer = zlib.compressobj(9)
    first, again = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * 4095


@pytest.mark.parametrize("filters", [b"/Filter/FlateDecode", b"/Filter[/FlateDecode/FlateDecode]"])
def test_a_pdf_stream_that_inflates_to_gigabytes_is_refused(tmp_path: Path, read: Read, filters: bytes) -> None:
    data = zlib.compress(gigabytes(), 9) if b"[" in filters else gigabytes()
    path = written(tmp_path / "bomb.pdf", pdf_of(CATALOG, PAGES, pdf_page(4), pdf_stream(data, filters)))
    with pytest.raises(InflatedSizeExceeded):
        read(path)


def test_a_huge_jbig2_picture_is_not_unpacked(tmp_path: Path, read: Read) -> None:
    header = b"\0\0\0\0\x30\0\x01\0\0\0\x13" + b"\xff" * 8 + b"\0" * 11
    entries = b"/Type/XObject/Subtype/Image/Width 65535/Height 65535/BitsPerComponent 1/Filter/JBIG2Decode"
    page = pdf_page(4).replace(b"/Font", b"/XObject<</I 5 0 R>>/Font", 1)
    picture = written(tmp_path / "a.pdf", pdf_of(CATALOG, PAGES, page, WORDS, pdf_stream(header, entries)))
    assert read(picture).body.startswith("Words survive")
    contents = pdf_stream(header, b"/Filter/JBIG2Decode")
    with pytest.raises((DocumentBroken, NoTextFound)):
        read(written(tmp_path / "b.pdf", pdf_of(CATALOG, PAGES, pdf_page(4), contents)))


@pytest.mark.parametrize("noise", [b"(" * 1_000_000, b"1 0 obj\n" * 50_000, b"trailer<</Prev 9>>startxref\n9\n" * 1000])
def test_noise_that_calls_itself_pdf_is_broken(tmp_path: Path, read: Read, noise: bytes) -> None:
    with pytest.raises(LorebaseError) as refused:
        read(written(tmp_path / "noise.pdf", b"%PDF-1.4\n" + noise))
    assert isinstance(refused.value, DocumentBroken)
