"""Which language a text is taken for."""

from chalicelib.index.language import detect_language, language_of_document

_GERMAN = "Die Reisekosten werden nach Vorlage der Belege innerhalb von vierzehn Tagen erstattet."


def test_a_sentence_tells_its_language() -> None:
    assert detect_language(_GERMAN) == "de"
    assert detect_language("Travel costs are reimbursed within fourteen days of handing in your receipts.") == "en"


def test_a_word_does_not() -> None:
    assert detect_language("Test") is None


def test_what_is_given_holds() -> None:
    assert language_of_document(_GERMAN, given="fr", chunks_by_language={}) == "fr"


def test_a_doubtful_text_is_taken_for_one_of_the_workspace() -> None:
    assert language_of_document("Zylinderkopf", given=None, chunks_by_language={"en": 9, "de": 3}) in {"en", "de"}
    assert language_of_document("x", given=None, chunks_by_language={"sv": 1}) == "sv"
