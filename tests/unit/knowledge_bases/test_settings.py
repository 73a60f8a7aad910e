"""Settings of knowledge bases are kept as they were said."""

import pytest

from chalicelib.items.model import ItemClass, ItemFilters
from chalicelib.knowledge_bases.create_knowledge_base import create_knowledge_base
from chalicelib.knowledge_bases.model import Mode, RetrievalSettings
from chalicelib.knowledge_bases.settings import checked_settings, json_of, settings_of
from tests.fixtures.crowd import Crowd


@pytest.mark.parametrize(
    "settings",
    [
        RetrievalSettings(),
        RetrievalSettings(mode=Mode.LEXICAL, limit=5, rerank=True, expand=True),
        RetrievalSettings(rerank=False, expand=False),
        RetrievalSettings(filters=ItemFilters(classes=(ItemClass.LEGAL,), tags=("approved",))),
    ],
)
def test_what_was_said_is_read_back(settings: RetrievalSettings) -> None:
    assert settings_of(json_of(checked_settings(settings))) == settings


def test_what_was_not_said_is_not_kept() -> None:
    assert json_of(RetrievalSettings()) == {}
    assert json_of(RetrievalSettings(rerank=False)) == {"rerank": False}


def test_settings_of_before_are_read() -> None:
    assert settings_of({"mode": "hybrid", "limit": 3}) == RetrievalSettings(mode=Mode.HYBRID, limit=3)


@pytest.mark.parametrize(
    ("base", "question", "settled"), [(True, None, True), (True, False, False), (None, None, False)]
)
def test_models_are_asked_as_the_one_knowledge_base_has_it(
    crowd: Crowd, *, base: bool | None, question: bool | None, settled: bool
) -> None:
    made = crowd.do(
        create_knowledge_base, crowd.owner, name="Base", settings=RetrievalSettings(rerank=base, expand=base)
    )
    asked = crowd.search(crowd.owner, knowledge_bases=[made.id], rerank=question, expand=question).question
    assert (asked.rerank, asked.expand) == (settled, settled)
