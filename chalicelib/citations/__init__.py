"""Citations: which passages of which revisions were used by what. Append-only."""
