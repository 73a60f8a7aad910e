"""The embedder's function."""
