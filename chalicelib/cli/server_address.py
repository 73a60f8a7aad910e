"""Finds the server to talk to and the key to ask with: given, set, or lying in the local data folder."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from chalicelib.cli.errors import KeyMissing
from chalicelib.platform.local.data_folder import DataFolder
from chalicelib.settings import Settings

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the API is. `is_own`: it is the server of this machine's data folder, by all we know."""

    url: str
    is_own: bool

    @property
    def is_loopback(self) -> bool:
        """Whether requests stay on this machine."""
        return is_loopback(self.url)


def is_loopback(url: str) -> bool:
    """Tell whether requests to a URL stay on this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def find_server(settings: Settings, *, endpoint: str | None) -> ServerAddress:
    """Return the server that is given, set, running on the data folder, or expected at the port; in that order."""
    named = endpoint or settings.endpoint
    if named:
        url = named if "://" in named else f"https://{named}"
        return ServerAddress(url.rstrip("/"), is_own=False)
    recorded = DataFolder(settings.data_folder).server_url()
    return ServerAddress((recorded or f"http://{settings.host}:{settings.port}").rstrip("/"), is_own=True)


def find_key(settings: Settings, server: ServerAddress, *, key: str | None) -> str:
    """Return the key that is given, set, or that the local server left for its owner. Raises KeyMissing.

    The local key is for servers on this machine alone; another one does not get to see it. An empty key is a secret
    that did not arrive, and must not turn whoever asks into the owner.
    """
    for name, candidate in (("--key", key), ("LOREBASE_KEY", settings.key)):
        if candidate is None:
            continue
        if not candidate.strip():
            raise KeyMissing(f"{name} is set but empty; give it an API key, or leave it out.")
        return candidate
    if not (server.is_own or server.is_loopback):
        raise KeyMissing(f"Set LOREBASE_KEY to an API key of {server.url}.")
    path = DataFolder(settings.data_folder).owner_key
    try:
        return path.read_text("utf-8").strip()
    except FileNotFoundError as error:
        raise KeyMissing(
            f"There is no key in {path}. Start the server once with `lorebase serve`, point LOREBASE_HOME to its"
            " data folder, or set LOREBASE_KEY."
        ) from error
    except OSError as error:
        raise KeyMissing(f"The key in {path} cannot be read: {error.strerror}. Set LOREBASE_KEY instead.") from error
