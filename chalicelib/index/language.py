"""Tells the language of a text, where there is enough of it to tell."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from chalicelib.index.analysis import STEMMERS_BY_LANGUAGE, UNKNOWN

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE_CHARACTERS = 4000

_CONFIDENCE = 0.95
"""How sure a guess by the text alone must be. Headings and names are too short for that: of the 3,204 documents of one
English collection 143 were taken for German ones by guesses of 0.05 to 0.5."""

_LIKELY = 0.7
"""How likely a language must be, by the text and by its share of the workspace together."""

_UNSTEMMED = frozenset({"zh", "ja", "ko", "th", "he", "uk", "pl", "cs", "fa"})


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language, or None where that cannot be told."""
    language, confidence = _identifier().classify(text[:_SAMPLE_CHARACTERS])
    return str(language) if confidence >= _CONFIDENCE else None


def may_be_english(text: str) -> bool:
    """Tell whether a text is English, or too short or mixed to tell."""
    return detect_language(text) in {None, "en"}


def language_of_document(text: str, *, given: str | None, chunks_by_language: Mapping[str, int]) -> str:
    """Return the language to analyse a document in: the given one, or what it most likely is in this workspace.

    A guess that is not sure is weighed by how much of the workspace is in each language, and where that makes nothing
    likely the answer is UNKNOWN, whose words are left unstemmed. `chunks_by_language` counts the workspace's chunks.
    """
    if given:
        return given
    ranked = _identifier().rank(text[:_SAMPLE_CHARACTERS])
    if ranked[0][1] >= _CONFIDENCE:
        return str(ranked[0][0])
    known = sum(chunks for language, chunks in chunks_by_language.items() if language != UNKNOWN)
    joint = {
        str(language): float(likelihood) * (chunks_by_language.get(language, 0) + 1 / len(ranked)) / (known + 1)
        for language, likelihood in ranked
    }
    best = max(sorted(joint), key=joint.__getitem__)
    return best if joint[best] >= _LIKELY * sum(joint.values()) else UNKNOWN


@cache
def _identifier() -> "LanguageIdentifier":
    """Load the model (0.9 s, 10 MB), for the languages that matter: with 97 to choose from it errs more."""
    # Most requests of a cold function ask for no language, and it brings numpy.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(sorted((STEMMERS_BY_LANGUAGE.keys() | _UNSTEMMED) & set(identifier.labels)))
    return identifier
