"""The `lorebase` command."""
