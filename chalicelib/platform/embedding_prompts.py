"""What open embedding models want to stand before questions and passages, by the names that servers give them.

Such a model ranks worse without, and servers add nothing by themselves. From the model cards on huggingface.co.
"""

import re
from collections.abc import Mapping, Sequence

from chalicelib.platform.embedding_work import Purpose

_SEARCH = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
_PROMPTS: Sequence[tuple[str, Mapping[Purpose, str]]] = (
    (r"e5-[a-z0-9]+-instruct", {"query": f"{_TASK} "}),
    (r"e5-(small|base|large)", {"query": "query: ", "passage": "passage: "}),
    (r"bge-(small|base|large)-en", {"query": _SEARCH}),
    (r"mxbai-embed-large", {"query": _SEARCH}),
    (r"snowflake-arctic-embed.*v2|snowflake-arctic-embed2", {"query": "query: "}),
    (r"snowflake-arctic-embed", {"query": _SEARCH}),
    (r"nomic-embed-text", {"query": "search_query: ", "passage": "search_document: "}),
    (r"qwen3-embedding", {"query": _TASK}),
    (r"embeddinggemma", {"query": "task: search result | query: ", "passage": "title: none | text: "}),
)


def prompts_of(model: str) -> Mapping[Purpose, str]:
    """Return the prompts of a model, none for those that need none or are not known."""
    name = model.lower()
    return next((prompts for pattern, prompts in _PROMPTS if re.search(pattern, name)), {})
