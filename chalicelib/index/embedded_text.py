"""Says what is embedded for a chunk; its SHA-256 decides whether a vector can be reused."""

from collections.abc import Sequence
from hashlib import sha256

from tokenizers import Tokenizer

NAMES_TOKENS = 64
SUMMARY_TOKENS = 128

_CHARACTERS_A_TOKEN = 32
"""More than a token has of any text worth reading: what is cut to a number of tokens is cut to these first."""


def embedded_text(
    title: str,
    heading_path: Sequence[str],
    text: str,
    *,
    tokenizer: Tokenizer,
    metadata: Sequence[str] = (),
    summary: str = "",
    opening: str = "",
    cap: int = NAMES_TOKENS,
) -> str:
    """Return what tells where a chunk stands, above its text: title and headings, metadata, a summary of the document.

    `opening` stands directly above the text, as the header does above rows of a table. Title and headings are cut to
    `cap` tokens, metadata to as many again, the summary to SUMMARY_TOKENS.
    """
    names = [" ".join(name.split()) for name in (title, *heading_path)]
    lines = [
        cut_to_tokens(" > ".join(dict.fromkeys(name for name in names if name)), cap, tokenizer),
        cut_to_tokens(", ".join(dict.fromkeys(" ".join(value.split()) for value in metadata)), cap, tokenizer),
        cut_to_tokens(" ".join(summary.split()), SUMMARY_TOKENS, tokenizer),
    ]
    opened = f"{opening}\n{text}" if opening else text
    return "\n\n".join(part for part in ("\n".join(line for line in lines if line), opened) if part)


def cut_to_tokens(context: str, tokens: int, tokenizer: Tokenizer) -> str:
    """Return the beginning of a line that has at most so many tokens."""
    context = context[: tokens * _CHARACTERS_A_TOKEN].encode("utf-8", "replace").decode()
    offsets = tokenizer.encode(context, add_special_tokens=False).offsets
    return context[: offsets[tokens][0]].rstrip(" >,") if len(offsets) > tokens else context


def sha256_of(embedded: str) -> bytes:
    """Return the key under which the vector of `embedded` is reused."""
    return sha256(embedded.encode("utf-8", "surrogatepass")).digest()
