"""Documents of issuers, fetched by this very process."""

from collections.abc import Mapping

from chalicelib.platform.public_documents import fetch_document


class DirectIssuerDocuments:
    """Asks the internet itself; `takes_loopback` lets issuers on this machine pass, by http as well."""

    def __init__(self, *, takes_loopback: bool = False) -> None:
        self.takes_loopback = takes_loopback

    def fetch(self, url: str) -> Mapping[str, object]:
        """Return the JSON object behind a URL. Raises IssuerDocumentRefused, IssuerUnavailable."""
        return fetch_document(url, takes_loopback=self.takes_loopback)
