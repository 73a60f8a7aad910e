from pathlib import Path

import pytest

from chalicelib.intake.errors import DocumentBroken
from tests.fixtures.documents import cell, paragraph, part, read, table, write_docx

STYLE = '<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{rest}</w:style>'


def body_of(tmp_path: Path, body: str, parts: dict[str, str] | None = None, **links: str) -> str:
    return read(write_docx(tmp_path / "a.docx", body, parts, links=links)).body


@pytest.mark.parametrize("name", ["heading 2", "Überschrift 2", "Titre 2", "Título 2", "Rubrik 2"])
def test_headings_are_known_by_their_style_in_any_language(tmp_path: Path, name: str) -> None:
    styles = part("styles", STYLE.format(id="X2", name=name, rest=""))
    assert body_of(tmp_path, paragraph("Scope", '<w:pStyle w:val="X2"/>'), {"styles": styles}) == "## Scope\n"


def test_headings_are_inherited_or_said_by_the_paragraph_itself(tmp_path: Path) -> None:
    derived = STYLE.format(id="Mine", name="Mine", rest='<w:basedOn w:val="H1"/>')
    styles = part("styles", STYLE.format(id="H1", name="heading 1", rest="") + derived)
    body = paragraph("One", '<w:pStyle w:val="Mine"/>') + paragraph("Two", '<w:outlineLvl w:val="1"/>')
    assert body_of(tmp_path, body, {"styles": styles}) == "# One\n\n## Two\n"


def test_a_heading_that_names_the_document_is_shown_without_markup(tmp_path: Path) -> None:
    words = '<w:hyperlink r:id="l1"><w:r><w:t>docs</w:t></w:r></w:hyperlink>'
    body = f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Our </w:t></w:r>{words}</w:p>'
    found = read(write_docx(tmp_path / "a.docx", body, links={"l1": "https://x.example"}))
    assert (found.title, found.body) == ("Our docs", "# Our [docs](https://x.example)\n")


def test_lists_keep_their_numbers_and_their_depth(tmp_path: Path) -> None:
    levels = '<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl>'
    numbering = part(
        "numbering",
        f'<w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>',
    )
    item = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr>'
    body = "".join(paragraph(text, item.format(depth)) for text, depth in (("a", 0), ("b", 1), ("c", 0)))
    found = body_of(tmp_path, body + paragraph("after"), {"numbering": numbering})
    assert found == "1. a\n   - b\n2. c\n\nafter\n"


def test_merged_cells_repeat_and_nested_tables_become_lines(tmp_path: Path) -> None:
    inner = table(cell(paragraph("x")) + cell(paragraph("y")))
    body = table(
        cell(paragraph("Wide"), '<w:gridSpan w:val="2"/>'),
        cell(paragraph("Tall"), '<w:vMerge w:val="restart"/>') + cell(inner),
        cell("<w:p/>", "<w:vMerge/>") + cell(paragraph("last")),
    )
    rows = ["| Wide | Wide |", "| --- | --- |", "| Tall | x, y |", "| Tall | last |"]
    assert body_of(tmp_path, body) == "\n".join(rows) + "\n"


def test_content_controls_are_read_wherever_they_stand(tmp_path: Path) -> None:
    control = "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>".format
    inline = f"<w:p><w:r><w:t>in </w:t></w:r>{control('<w:r><w:t>line</w:t></w:r>')}</w:p>"
    rows = f"<w:tbl>{control('<w:tr>' + control(cell(paragraph('r1'))) + cell(paragraph('r2')) + '</w:tr>')}</w:tbl>"
    assert body_of(tmp_path, control(paragraph("block")) + inline + rows).startswith("block\n\nin line\n\n| r1 | r2 |")


def test_tracked_changes_read_as_accepted(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>pay </w:t></w:r><w:del><w:r><w:delText>100</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>200</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom></w:p>"
    )
    assert body_of(tmp_path, body) == "pay 200\n"


def test_notes_and_comments_follow_in_the_order_of_their_references(tmp_path: Path) -> None:
    body = (
        '<w:p><w:r><w:t>Said</w:t><w:footnoteReference w:id="2"/><w:t> here</w:t>'
        '<w:commentReference w:id="1"/></w:r></w:p>'
    )
    parts = {
        "footnotes": part("footnotes", f'<w:footnote w:id="2">{paragraph("the source")}</w:footnote>'),
        "comments": part("comments", f'<w:comment w:id="1" w:author="Ada">{paragraph("true?")}</w:comment>'),
    }
    expected = "Said here [^fn2] [^comment1]\n\n[^fn2]: the source\n\n[^comment1]: Ada: true?\n"
    assert body_of(tmp_path, body, parts) == expected


def test_headers_and_footers_are_read_once_without_page_numbers(tmp_path: Path) -> None:
    parts = {f"header{number}": part("hdr", paragraph("Acme")) for number in (1, 2)}
    parts["footer1"] = part("ftr", paragraph("12") + paragraph("Confidential"))
    assert body_of(tmp_path, paragraph("text"), parts) == "Acme\n\ntext\n\nConfidential\n"


def test_text_boxes_are_read_once_although_written_twice(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    choice = f"<mc:Choice>{box}</mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
    body = f"<w:p><w:r><w:t>around</w:t><mc:AlternateContent>{choice}</mc:AlternateContent></w:r></w:p>"
    assert body_of(tmp_path, body) == "around\n\nboxed\n"


def test_hyperlinks_keep_their_target(tmp_path: Path) -> None:
    body = '<w:p><w:hyperlink r:id="l1"><w:r><w:t>docs</w:t></w:r></w:hyperlink></w:p>'
    assert body_of(tmp_path, body, l1="https://example.com/a") == "[docs](https://example.com/a)\n"


@pytest.mark.parametrize("value", ["²", "9" * 5000, "-1", "x"])
def test_nonsense_numbers_do_no_harm(tmp_path: Path, value: str) -> None:
    properties = f'<w:outlineLvl w:val="{value}"/><w:numPr><w:ilvl w:val="{value}"/><w:numId w:val="1"/></w:numPr>'
    assert body_of(tmp_path, paragraph("text", properties)) == "- text\n"


def test_a_document_without_a_body_is_broken(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", "")
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DocumentBroken) as refused:
        read(path)
    assert refused.value.reason == "document_broken"
