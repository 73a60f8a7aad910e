"""Builds the zip that the API and the workers share: the same inputs give the same bytes."""
