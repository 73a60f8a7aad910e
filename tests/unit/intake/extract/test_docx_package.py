"""Word documents that are too much for the parser, told from damaged ones."""

from pathlib import Path

import pytest

from chalicelib.intake.errors import DocumentBroken, InflatedSizeExceeded
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.sandbox import Sandbox
from chalicelib.intake.sniff import sniff_file
from tests.fixtures.documents import paragraph, read, write_docx


@pytest.mark.parametrize(
    "body",
    [
        paragraph("a" * 12_000_000),
        paragraph("a", f'<w:x w:val="{"a" * 12_000_000}"/>'),
        f"<!--{'a' * 12_000_000}-->",
        f"<w:p><w:r><w:t><![CDATA[{'a' * 12_000_000}]]></w:t></w:r></w:p>",
        f"<?p {'a' * 12_000_000}?>",
        f"<w:{'a' * 60_000}/>",
    ],
    ids=["text", "attribute", "comment", "cdata", "instruction", "name"],
)
def test_well_formed_xml_with_an_endless_piece_is_too_much_rather_than_damaged(tmp_path: Path, body: str) -> None:
    with pytest.raises(InflatedSizeExceeded, match="split it"):
        read(write_docx(tmp_path / "long.docx", body))


def test_one_run_of_400_megabytes_is_too_much_rather_than_damaged(shared: Path) -> None:
    path = shared / "data/documents/files/zipbomb_400MB.docx"
    limits = ExtractLimits(seconds=60, memory_bytes=2048 * 1024 * 1024, inflated_bytes=1024 * 1024 * 1024)
    with Sandbox(size=1) as sandbox, pytest.raises(InflatedSizeExceeded, match="split it"):
        sandbox.extract(path, sniff_file(path, path.name), filename=path.name, limits=limits)


@pytest.mark.parametrize("body", ["<!-- never ends", "<w:p>", "<w:p></w:r>", "<![CDATA[never ends", "<?never ends"])
def test_xml_that_is_not_well_formed_is_damaged(tmp_path: Path, body: str) -> None:
    with pytest.raises(DocumentBroken, match="save it again"):
        read(write_docx(tmp_path / "damaged.docx", body))
