"""Originals on their way in: receive, sniff, deduplicate, extract."""
