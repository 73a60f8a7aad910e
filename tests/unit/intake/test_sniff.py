import os
import zipfile
from io import BytesIO

import pytest

from chalicelib.intake.errors import ProgramRefused, UnreadableFile
from chalicelib.intake.sniff import sniff

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def zipped(*names: str) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return data.getvalue()


@pytest.mark.parametrize(
    ("head", "filename", "media_type"),
    [
        (b"%PDF-1.7\n", "really_a_pdf.docx", "application/pdf"),
        (b"junk before " + b"%PDF-1.4", "x.txt", "application/pdf"),
        (b"# Title\n", "a.md", "text/markdown"),
        (b"<!DOCTYPE html><html>", "page.txt", "text/html"),
        (b"#!/bin/sh\necho hi\n", "run.sh", "text/x-source"),
        (b"plain words", "fake.pdf", "text/plain"),
        (b"", "empty.pdf", "application/pdf"),
        (b"pro-\x00-viders o\x00er credits of the cloud", "nul.txt", "text/plain"),
        ("Grüße".encode("utf-16-le"), "wide.txt", "text/plain"),
        ("Grüße aus Köln".encode("cp1252"), "brief.txt", "text/plain"),
        (b"\x89PNG\r\n\x1a\n\x00", "a.txt", "image/png"),
        (b"MZ is how this sentence starts", "a.txt", "text/plain"),
    ],
)
def test_content_decides_before_the_name(head: bytes, filename: str, media_type: str) -> None:
    assert sniff(head, filename) == media_type


def test_office_documents_are_known_by_what_is_in_the_zip() -> None:
    word = zipped("[Content_Types].xml", "word/document.xml")
    assert sniff(word, "x.zip", tail=word) == WORD
    sheet = zipped("xl/workbook.xml")
    assert sniff(sheet, "x.docx", tail=sheet).endswith("spreadsheetml.sheet")
    other = zipped("readme.txt")
    assert sniff(other, "x.zip", tail=other) == "application/zip"


def test_what_lies_in_an_archive_inside_does_not_count() -> None:
    chart = zipped("xl/workbook.xml", "word/document.xml")
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("ppt/embeddings/chart.xlsx", chart)
        archive.writestr("ppt/presentation.xml", "")
    assert str(sniff(data.getvalue(), "x.pptx", tail=data.getvalue())).endswith("presentationml.presentation")


def test_a_directory_that_is_larger_than_the_tail_is_read_as_far_as_it_is_there() -> None:
    word = zipped(*(f"media/{number}.png" for number in range(500)), "word/document.xml")
    assert sniff(word[:100], "x.docx", tail=word[-2000:]) == WORD


@pytest.mark.parametrize("head", [b"\x7fELF\x02\x01", b"MZ\x90\x00\x03\x00PE\x00\x00", b"\xcf\xfa\xed\xfe\x07"])
def test_programs_are_refused_whatever_their_name(head: bytes) -> None:
    with pytest.raises(ProgramRefused) as refused:
        sniff(head, "report.txt")
    assert refused.value.status == 415


def test_random_bytes_are_refused() -> None:
    with pytest.raises(UnreadableFile):
        sniff(b"\x9c\x00\x01" + os.urandom(4096), "notes.txt")
