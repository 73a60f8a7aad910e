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
    assert language_of_document("x", given=None, chunks_by_language={"sv": 20}) == "sv"


def test_names_do_not_make_a_language() -> None:
    titles = ["Preliminary Report-International Algebraic Language\nPerlis, A. J. Samelson,K.", "TRDIAG (Algorithm 17)"]
    assert [language_of_document(title, given=None, chunks_by_language={}) for title in titles] == ["und", "und"]


def test_one_document_of_another_language_does_not_take_in_the_doubtful_ones() -> None:
    workspace = {"en": 300, "de": 1}
    for title in ("Math Sort (Algorithm 23)\nFeurzeig, W.", "Marriage-with Problems\nShuchter, J. P."):
        assert language_of_document(title, given=None, chunks_by_language=workspace) == "en"
    assert language_of_document(_GERMAN, given=None, chunks_by_language=workspace) == "de"


def test_what_the_workspace_could_not_tell_says_nothing_of_the_next() -> None:
    assert language_of_document("TRDIAG (Algorithm 17)", given=None, chunks_by_language={"und": 500}) == "und"
