"""Secrets that Lorebase makes for itself on first need."""

import secrets as random_secrets

from chalicelib.platform.ports import Secrets


def read_or_create(secrets: Secrets, name: str) -> str:
    """Return the secret `name`, made of 256 random bits on first need: the same for whoever asks at the same time.

    Raises SecretsUnavailable.
    """
    return secrets.read(name) or secrets.create(name, random_secrets.token_urlsafe(32))
