"""The embedding model of the local platform: its files, its graph, its use."""
