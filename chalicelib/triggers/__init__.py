"""Events to use cases: one module a queue or schedule."""
