"""Makes passages of a body: chunks with what is embedded and counted of them."""

import hashlib
from collections.abc import Sequence

from tokenizers import Tokenizer

from chalicelib.identity.model import WorkspaceId
from chalicelib.index.analysis import ANALYSIS
from chalicelib.index.bm25 import HEADING_REPEATS, TITLE_REPEATS, count_terms
from chalicelib.index.chunking import chunk_body
from chalicelib.index.embedded_text import NAMES_TOKENS, SUMMARY_TOKENS, cut_to_tokens, embedded_text, sha256_of
from chalicelib.index.model import Passage, Source


def passages_of(
    workspace_id: WorkspaceId,
    source: Source,
    *,
    language: str,
    tokenizer: Tokenizer,
    chunk_tokens: int,
    overlap_tokens: int,
    metadata: Sequence[str] = (),
    summary: str = "",
) -> list[Passage]:
    """Return the passages of a source in their order; none where it has no text.

    `metadata` and `summary` tell what the document is about: they are embedded with each passage and their words
    count as those of a heading, but they are no part of its text.
    """
    chunks = chunk_body(
        source.body,
        tokenizer=tokenizer,
        chunk_tokens=chunk_tokens,
        overlap_tokens=overlap_tokens,
        page_starts=source.page_starts,
    )
    about = (
        cut_to_tokens(", ".join(metadata), NAMES_TOKENS, tokenizer),
        cut_to_tokens(summary, SUMMARY_TOKENS, tokenizer),
    )
    passages = []
    for chunk in chunks:
        text = source.body[chunk.start : chunk.end]
        embedded = embedded_text(
            source.title,
            chunk.heading_path,
            text,
            tokenizer=tokenizer,
            metadata=metadata,
            summary=summary,
            opening=chunk.opening,
        )
        above = (*chunk.heading_path, *about, chunk.opening)
        passages.append(
            Passage(
                ordinal=chunk.ordinal,
                heading_path=chunk.heading_path,
                start=chunk.start,
                end=chunk.end,
                page=chunk.page,
                opening=chunk.opening,
                text=text,
                tokens=chunk.tokens,
                language=language,
                embedded=embedded,
                embedded_sha256=sha256_of(embedded),
                content_sha256=_content_sha256(embedded, source.title, above, text, language),
                counted=count_terms(workspace_id, title=source.title, heading_path=above, text=text, language=language),
            )
        )
    return passages


def _content_sha256(embedded: str, title: str, above: Sequence[str], text: str, language: str) -> bytes:
    content = repr((ANALYSIS, TITLE_REPEATS, HEADING_REPEATS, language, title, above, text, embedded))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()
