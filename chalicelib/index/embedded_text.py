"""Says what is embedded for a chunk; its SHA-256 decides whether a vector can be reused."""

from collections.abc import Sequence
from hashlib import sha256

from tokenizers import Tokenizer


def embedded_text(title: str, heading_path: Sequence[str], text: str, *, tokenizer: Tokenizer, cap: int = 64) -> str:
    """Return the title and headings, cut to `cap` tokens, above the text of the chunk."""
    names = [" ".join(name.split()) for name in (title, *heading_path)]
    context = " > ".join(dict.fromkeys(name for name in names if name)).encode("utf-8", "replace").decode()
    offsets = tokenizer.encode(context, add_special_tokens=False).offsets
    if len(offsets) > cap:
        context = context[: offsets[cap][0]].rstrip(" >")
    return f"{context}\n\n{text}" if context else text


def sha256_of(embedded: str) -> bytes:
    """Return the key under which the vector of `embedded` is reused."""
    return sha256(embedded.encode("utf-8", "surrogatepass")).digest()
