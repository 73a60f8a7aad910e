"""Makes passages of a body: chunks with what is embedded and counted of them."""

import hashlib

from tokenizers import Tokenizer

from chalicelib.identity.model import WorkspaceId
from chalicelib.index.analysis import ANALYSIS
from chalicelib.index.bm25 import HEADING_REPEATS, TITLE_REPEATS, count_terms
from chalicelib.index.chunking import chunk_body
from chalicelib.index.embedded_text import embedded_text, sha256_of
from chalicelib.index.model import Passage, Source


def passages_of(
    workspace_id: WorkspaceId,
    source: Source,
    *,
    language: str,
    tokenizer: Tokenizer,
    chunk_tokens: int,
    overlap_tokens: int,
) -> list[Passage]:
    """Return the passages of a source in their order; none where it has no text."""
    chunks = chunk_body(
        source.body,
        tokenizer=tokenizer,
        chunk_tokens=chunk_tokens,
        overlap_tokens=overlap_tokens,
        page_starts=source.page_starts,
    )
    passages = []
    for chunk in chunks:
        text = source.body[chunk.start : chunk.end]
        embedded = embedded_text(source.title, chunk.heading_path, text, tokenizer=tokenizer)
        passages.append(
            Passage(
                ordinal=chunk.ordinal,
                heading_path=chunk.heading_path,
                start=chunk.start,
                end=chunk.end,
                page=chunk.page,
                text=text,
                tokens=chunk.tokens,
                language=language,
                embedded=embedded,
                embedded_sha256=sha256_of(embedded),
                content_sha256=_content_sha256(source.title, chunk.heading_path, text, language),
                counted=count_terms(
                    workspace_id, title=source.title, heading_path=chunk.heading_path, text=text, language=language
                ),
            )
        )
    return passages


def _content_sha256(title: str, heading_path: tuple[str, ...], text: str, language: str) -> bytes:
    content = repr((ANALYSIS, TITLE_REPEATS, HEADING_REPEATS, language, title, heading_path, text))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()
