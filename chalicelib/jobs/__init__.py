"""Promised work: enqueued in the caller's transaction, done once by whoever holds the lease."""
