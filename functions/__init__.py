"""Functions of their own beside the HTTP API."""
