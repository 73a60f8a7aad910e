"""Refusals in people's words."""

import pytest

from chalicelib.intake.extract.formats import taken_media_types
from chalicelib.intake.media_types import MEDIA_TYPE_BY_SUFFIX, SIGNATURES
from chalicelib.intake.type_words import refusal_of

_RECOGNISED = {*MEDIA_TYPE_BY_SUFFIX.values(), *(media_type for *_, media_type in SIGNATURES), "application/zip"}


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("application/zip", "a.bin is a ZIP archive, which is not taken; unpack it and upload the documents in it."),
        ("audio/wav", "a.bin is a WAV recording, which is not taken; upload a transcript of it."),
        ("x/y", "a.bin is of a type that is not taken (x/y); convert it to PDF, DOCX, HTML, Markdown or text."),
    ],
)
def test_a_refusal_names_the_type_and_what_is_possible(media_type: str, expected: str) -> None:
    assert refusal_of(media_type, "a.bin") == expected


@pytest.mark.parametrize("media_type", sorted(_RECOGNISED - set(taken_media_types())))
def test_no_refusal_of_a_recognised_type_shows_its_technical_name(media_type: str) -> None:
    assert media_type not in refusal_of(media_type, "a.bin")
