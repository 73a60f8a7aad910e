from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from chalicelib.intake.errors import NoTextFound, PagesExceeded, PasswordRequired
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.extract.pdf import mend
from tests.fixtures.documents import pdf_of_pages, read


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report.pdf"


def encrypt(path: Path, *, user: str, owner: str) -> None:
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.encrypt(user, owner, algorithm="RC4-128")
    writer.write(path)


def test_each_page_is_found_again_at_its_start(report: Path) -> None:
    found = read(report, pdf_of_pages("First page", "Second page"))
    assert [found.body[start : start + 6] for start in found.page_starts] == ["First ", "Second"]
    assert found.metadata["pages"] == 2


def test_pages_without_text_are_named(report: Path) -> None:
    found = read(report, pdf_of_pages("Words", "", "More"))
    assert [(each.code, each.detail[:7]) for each in found.warnings] == [("pages_without_text", "Page 2 ")]
    with pytest.raises(NoTextFound):
        read(report, pdf_of_pages("", ""))


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("trans-\nport", "transport"),
        ("lan-\ngua-\nges", "languages"),
        ("Order-\nID", "Order-\nID"),
        ("COVID-\n19", "COVID-\n19"),
        ("o\ufb03ce \ufb01le", "office file"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_words_cut_at_a_line_end_are_joined_and_ligatures_resolved(text: str, mended: str) -> None:
    assert mend(text) == mended


def test_an_owner_password_opens_and_a_user_password_is_named(report: Path) -> None:
    report.write_bytes(pdf_of_pages("Locked words"))
    encrypt(report, user="", owner="boss")
    assert "Locked words" in read(report).body
    report.write_bytes(pdf_of_pages("Locked words"))
    encrypt(report, user="guest", owner="boss")
    with pytest.raises(PasswordRequired):
        read(report)


def test_more_pages_than_allowed_are_refused_with_both_numbers(report: Path) -> None:
    with pytest.raises(PagesExceeded) as refused:
        read(report, pdf_of_pages("a", "b", "c"), limits=ExtractLimits(pages=2))
    assert refused.value.members == {"limit": 2, "found": 3}


def test_the_title_of_the_document_is_used_unless_it_is_a_file_name(report: Path) -> None:
    assert (
        read(report, pdf_of_pages("x", trailer=b"/Info<</Title(Annual Report)/Author(Ada)>>")).title == "Annual Report"
    )
    assert read(report, pdf_of_pages("x", trailer=b"/Info<</Title(draft7.docx)>>")).title == "report"
    marked = b"/Info<</Title(Of <i>Apis mellifera</i> &amp; others)>>"
    assert read(report, pdf_of_pages("x", trailer=marked)).title == "Of Apis mellifera & others"


def test_a_broken_cross_reference_table_is_survived(report: Path) -> None:
    data = pdf_of_pages("Still here")
    at = data.rindex(b"startxref")
    assert "Still here" in read(report, data[:at] + b"startxref\n7\n%%EOF").body
