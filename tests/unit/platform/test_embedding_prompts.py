"""Open models get the prompts of their cards, by whatever name a server gives them, and others get none."""

import pytest

from chalicelib.platform.embedding_prompts import prompts_of

_SEARCH = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("e5-large-v2", "query: ", "passage: "),
        ("BAAI/bge-base-en-v1.5", _SEARCH, ""),
        ("BAAI/bge-m3", "", ""),
        ("mxbai-embed-large", _SEARCH, ""),
        ("snowflake-arctic-embed:335m", _SEARCH, ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_prompts_are_those_of_the_model_card(model: str, query: str, passage: str) -> None:
    prompts = prompts_of(model)
    assert (prompts.get("query", ""), prompts.get("passage", "")) == (query, passage)


def test_instructed_models_are_told_the_task_with_the_question_alone() -> None:
    for model in ("intfloat/multilingual-e5-large-instruct", "Qwen/Qwen3-Embedding-0.6B"):
        assert prompts_of(model)["query"].startswith("Instruct: ")
        assert "passage" not in prompts_of(model)
