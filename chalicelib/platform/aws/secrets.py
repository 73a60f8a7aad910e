"""The secret store as AWS Secrets Manager."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import NAMESPACE_URL, uuid5

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.platform.aws.clients import Clients
from chalicelib.platform.errors import SecretsUnavailable


class ManagedSecrets:
    """Keeps each secret under `prefix` and its name."""

    def __init__(self, clients: Clients, *, prefix: str) -> None:
        self._clients = clients
        self._prefix = prefix

    def read(self, name: str) -> str | None:
        """Return the secret, or None where there is none. Raises SecretsUnavailable."""
        client = self._clients.secrets
        try:
            with _translated_errors(name):
                return client.get_secret_value(SecretId=self._prefix + name)["SecretString"]
        except _SecretAbsent:
            return None

    def write(self, name: str, value: str) -> None:
        """Create or replace the secret."""
        try:
            with _translated_errors(name):
                self._clients.secrets.put_secret_value(SecretId=self._prefix + name, SecretString=value)
        except _SecretAbsent:
            if self.create(name, value) != value:
                self.write(name, value)

    def create(self, name: str, value: str) -> str:
        """Keep `value` unless the secret exists, and return what is kept: one winner among simultaneous callers."""
        kept = self.read(name)
        if kept is not None:
            return kept
        try:
            with _translated_errors(name):
                self._clients.secrets.create_secret(Name=self._prefix + name, SecretString=value)
        except _SecretExists:
            return self._fill(name, value)
        return value

    def _fill(self, name: str, value: str) -> str:
        """Return what is in a secret that is there, having put `value` into one that was made without any."""
        kept = self.read(name)
        if kept is not None:
            return kept
        # Of those that fill it at once the first one wins: the same token with another value is refused
        # (docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html).
        token = str(uuid5(NAMESPACE_URL, f"first value of {self._prefix}{name}"))
        try:
            with _translated_errors(name):
                self._clients.secrets.put_secret_value(
                    SecretId=self._prefix + name, SecretString=value, ClientRequestToken=token
                )
        except _SecretExists:
            return self._fill(name, value)
        return value

    def delete(self, name: str) -> None:
        """Destroy the secret at once; nothing happens where nothing is."""
        with _translated_errors(name):
            # Without recovery, deleting what is not there is no error, by the API's own documentation.
            self._clients.secrets.delete_secret(SecretId=self._prefix + name, ForceDeleteWithoutRecovery=True)


class _SecretAbsent(Exception):
    pass


class _SecretExists(Exception):
    pass


@contextmanager
def _translated_errors(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ResourceNotFoundException":
            raise _SecretAbsent from error
        if code == "ResourceExistsException":
            raise _SecretExists from error
        raise SecretsUnavailable(f"The secret store answered {code} about {name}. Try again later.") from error
    except BotoCoreError as error:
        raise SecretsUnavailable("The secret store is out of reach. Try again later.") from error
