"""The embedding models of the local platform: their files, their graphs, their use."""
