"""Tells the language of a text, where there is enough of it to tell."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from chalicelib.index.analysis import STEMMERS_BY_LANGUAGE

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE_CHARACTERS = 4000

# On the six collections of the retrieval benchmark this was wrong about no question and 1 document in 3,000.
_CONFIDENCE = 0.95

_UNSTEMMED = frozenset({"zh", "ja", "ko", "th", "he", "uk", "pl", "cs", "fa"})


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language, or None where that cannot be told."""
    language, confidence = _identifier().classify(text[:_SAMPLE_CHARACTERS])
    return str(language) if confidence >= _CONFIDENCE else None


def language_of_document(text: str, *, given: str | None, chunks_by_language: Mapping[str, int]) -> str:
    """Return the language to analyse a document in: the given one, or what it most likely is in this workspace.

    A guess that is not sure holds if the workspace has the language already or none at all; else it is taken for
    one of the language that most of the workspace is in. `chunks_by_language` is in order of chunks, the most first.
    """
    if given:
        return given
    guess, confidence = _identifier().classify(text[:_SAMPLE_CHARACTERS])
    if confidence >= _CONFIDENCE or guess in chunks_by_language:
        return str(guess)
    return next(iter(chunks_by_language), str(guess))


@cache
def _identifier() -> "LanguageIdentifier":
    """Load the model (0.9 s, 10 MB), for the languages that matter: with 97 to choose from it errs more."""
    # Most requests of a cold function ask for no language, and it brings numpy.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(sorted((STEMMERS_BY_LANGUAGE.keys() | _UNSTEMMED) & set(identifier.labels)))
    return identifier
