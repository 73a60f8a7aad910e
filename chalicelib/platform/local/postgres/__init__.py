"""The embedded PostgreSQL: a server of our own over binaries that come in a wheel."""
