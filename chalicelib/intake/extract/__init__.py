"""Text out of originals, one module a format; a new format is a new module here that registers itself."""
