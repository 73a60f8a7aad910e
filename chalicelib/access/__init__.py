"""What a principal may see: audiences, and the one predicate that every read applies."""
