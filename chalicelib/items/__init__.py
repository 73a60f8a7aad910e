"""Items and their revisions: what a workspace knows, where it lies, and what it may hold."""
