"""The secret store as one encrypted file, with its key in a file beside it that only the owner reads."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from chalicelib.platform.errors import SecretsUnavailable
from chalicelib.platform.local.durable_files import make_private_folder, write_private_file


class LocalSecrets:
    """Keeps secrets in `folder`; several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key_file = folder / "key"
        self._file = folder / "secrets"

    def read(self, name: str) -> str | None:
        """Return the secret, or None where there is none. Raises SecretsUnavailable."""
        with _translated_errors(self._folder):
            return self._load().get(name) if self._file.exists() else None

    def write(self, name: str, value: str) -> None:
        """Create or replace the secret."""
        with _translated_errors(self._folder), self._locked():
            self._save({**self._load(), name: value})

    def create(self, name: str, value: str) -> str:
        """Keep `value` unless the secret exists, and return what is kept: one winner among simultaneous callers."""
        with _translated_errors(self._folder), self._locked():
            secrets = self._load()
            if name not in secrets:
                self._save({**secrets, name: value})
            return secrets.get(name, value)

    def delete(self, name: str) -> None:
        """Destroy the secret at once; nothing happens where nothing is."""
        with _translated_errors(self._folder), self._locked():
            secrets = self._load()
            if secrets.pop(name, None) is not None:
                self._save(secrets)

    def _load(self) -> dict[str, str]:
        if not self._file.exists():
            return {}
        decrypted = Fernet(self._key_file.read_bytes()).decrypt(self._file.read_bytes())
        return {str(name): str(value) for name, value in json.loads(decrypted).items()}

    def _save(self, secrets: dict[str, str]) -> None:
        if not self._key_file.exists():
            write_private_file(self._key_file, [Fernet.generate_key()])
        encrypted = Fernet(self._key_file.read_bytes()).encrypt(json.dumps(secrets).encode())
        write_private_file(self._file, [encrypted])

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one writer at a time in, among threads and processes: each takes a file description of its own."""
        make_private_folder(self._folder)
        with os.fdopen(os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


@contextmanager
def _translated_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except (InvalidToken, ValueError) as error:
        raise SecretsUnavailable(
            f"The secrets in {folder} do not open with the key beside them. Restore both files from one backup."
        ) from error
    except OSError as error:
        raise SecretsUnavailable(
            f"The secrets in {folder} cannot be used: {error.strerror}. Check the disk and permissions."
        ) from error
