"""Which embedding space each organization searches in, and how it changes to another without a gap."""
