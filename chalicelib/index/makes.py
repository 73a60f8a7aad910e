"""Says what decides how a text becomes chunks and terms; what was indexed by something else is stale."""

from chalicelib.index.analysis import ANALYSIS

CHUNKER = 2
"""Rises with every change to where bodies are cut or what is embedded of a chunk."""


def makes_of(*, chunk_tokens: int, overlap_tokens: int) -> str:
    """Return what is kept with each item that is indexed so."""
    return f"{ANALYSIS}/{CHUNKER}/{chunk_tokens}/{overlap_tokens}"
