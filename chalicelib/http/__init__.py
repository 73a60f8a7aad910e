"""The HTTP API: one module a resource, and the edge that turns requests into use cases and errors into problems."""
