"""Documents of issuers, fetched by a function of their own: those in the network do not reach the internet."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import LorebaseError
from chalicelib.platform.errors import IssuerDocumentRefused, IssuerUnavailable
from chalicelib.telemetry.correlation import current_correlation_id

_ERRORS_BY_TYPE: Mapping[str, type[LorebaseError]] = {
    error.problem_type(): error for error in (IssuerDocumentRefused, IssuerUnavailable)
}


class InvokesFunctions(Protocol):
    """The part of boto3's Lambda client that is used here."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Any:  # noqa: ANN401, N803 - boto3's names and types
        """Call a function and wait for its answer."""
        ...


class HasFunctions(Protocol):
    """The part of `Clients` that is used here; the client is made on the first need of it."""

    @property
    def functions(self) -> InvokesFunctions:
        """AWS Lambda."""
        ...


class LambdaIssuerDocuments:
    """Speaks to chalicelib/triggers/issuer_documents.py."""

    takes_loopback = False

    def __init__(self, clients: HasFunctions, function: str) -> None:
        self._clients = clients
        self._function = function

    def fetch(self, url: str) -> Mapping[str, object]:
        """Return the JSON object behind a URL. Raises IssuerDocumentRefused, IssuerUnavailable."""
        payload = json.dumps({"url": url, "correlation_id": current_correlation_id()}).encode()
        try:
            answer = self._clients.functions.invoke(FunctionName=self._function, Payload=payload)
            content = json.loads(answer["Payload"].read())
        except (BotoCoreError, ClientError, OSError, ValueError, RecursionError) as problem:
            raise IssuerUnavailable(
                f"The function {self._function} does not answer; try again later.", function=self._function
            ) from problem
        if not isinstance(content, dict) or answer.get("FunctionError"):
            content = {}
        document = content.get("document")
        if isinstance(document, dict):
            return document
        raise _error(content.get("error"), self._function)


def _error(error: object, function: str) -> LorebaseError:
    if not isinstance(error, Mapping) or error.get("type") not in _ERRORS_BY_TYPE:
        return IssuerUnavailable(f"The function {function} failed; its log says more.", function=function)
    members = {name: error[name] for name in ("status",) if name in error}
    return _ERRORS_BY_TYPE[error["type"]](str(error.get("detail")), **members)
