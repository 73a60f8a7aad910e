"""Lorebase: the knowledge base that a team's people and AI agents share."""
