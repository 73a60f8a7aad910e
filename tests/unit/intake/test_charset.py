import pytest

from chalicelib.intake.charset import decode

RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 4
GERMAN = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich."


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(charset: str) -> None:
    found = decode(GERMAN.encode(charset))
    assert (found.text.lstrip("\ufeff"), found.known_by) == (GERMAN, "byte order mark")


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_known_by_its_zeros(charset: str) -> None:
    assert decode(GERMAN.encode(charset)).text == GERMAN


@pytest.mark.parametrize(("text", "charset"), [(GERMAN, "cp1252"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r")])
def test_eight_bit_charsets_are_detected(text: str, charset: str) -> None:
    found = decode(text.encode(charset))
    assert (found.text, found.known_by, found.undecodable) == (text, "detection", 0)


def test_a_declaration_goes_before_detection_but_not_before_utf8() -> None:
    assert decode(RUSSIAN.encode("koi8-r"), declared="koi8-r").known_by == "declaration"
    assert decode(RUSSIAN.encode(), declared="koi8-r").charset == "utf-8"
    assert decode(GERMAN.encode("cp1252"), declared="no-such-charset").text == GERMAN


def test_a_few_broken_bytes_do_not_spoil_utf8() -> None:
    found = decode(RUSSIAN.encode() + b"\xff")
    assert (found.text, found.charset, found.undecodable) == (RUSSIAN + "\ufffd", "utf-8", 1)
