"""The ports on one machine: folders, an in-process bell, an encrypted file, a local model."""
