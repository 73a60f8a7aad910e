"""Measures how well searches answer questions whose right answers are known."""
