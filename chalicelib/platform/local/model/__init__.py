"""The embedding model of the local platform: its files, its graph, its use."""

SPACE = "all-MiniLM-L6-v2/384"
DIMENSIONS = 384
