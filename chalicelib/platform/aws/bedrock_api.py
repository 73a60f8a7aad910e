"""Calls Amazon Bedrock: requests signed by botocore, sent over connections that keep a deadline.

boto3's clients would bound each read and not the whole wait, try again by themselves and unseen, and take a tenth of a
second each to make. What they sign is the same (a test holds both to it).
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError

from chalicelib.platform.json_endpoint import JsonAnswer, JsonEndpoint
from chalicelib.platform.named_waits import named_wait
from chalicelib.platform.provider_calls import CallFailed, Outcome

if TYPE_CHECKING:
    from botocore.credentials import Credentials

Service = Literal["bedrock-runtime", "bedrock-agent-runtime"]

# docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html#API_runtime_InvokeModel_Errors
_OUTCOMES_BY_ERROR = {
    "ThrottlingException": Outcome.BUSY,
    "ServiceUnavailableException": Outcome.BUSY,
    "ModelNotReadyException": Outcome.BUSY,
    "TooManyRequestsException": Outcome.BUSY,
    "ModelTimeoutException": Outcome.BROKEN,
    "ModelErrorException": Outcome.BROKEN,
    "InternalServerException": Outcome.BROKEN,
    "AccessDeniedException": Outcome.DENIED,
    "ResourceNotFoundException": Outcome.DENIED,
    "ServiceQuotaExceededException": Outcome.DENIED,
    "UnrecognizedClientException": Outcome.DENIED,
    "ExpiredTokenException": Outcome.DENIED,
    "InvalidSignatureException": Outcome.DENIED,
}
# "Too many input tokens", "expected maxLength: 2048, actual: 2459", "Input is too long for requested model".
_TOO_LARGE = re.compile(r"too (long|large|many)|max_?(length|items)|context|exceeds", re.IGNORECASE)
# "The provided model identifier is invalid", "with on-demand throughput isn't supported": no content changes that.
_NO_MODEL = re.compile(r"model identifier|on-demand throughput|inference profile|access to the model", re.IGNORECASE)
_SERVICE = re.compile(r"[A-Za-z]{1,64}")


@dataclass(frozen=True, slots=True)
class BedrockAnswer:
    """A JSON object, and the headers that came with it by lower-case name."""

    content: Mapping[str, object]
    headers: Mapping[str, str]


class BedrockApi:
    """Bedrock in one region, or what speaks its protocol at `url`; threads may share it."""

    def __init__(
        self,
        credentials: "Callable[[], Credentials | None]",
        *,
        region: str,
        url: str = "",
        is_dual_stack: bool = False,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        """`is_dual_stack` takes the names that have addresses of IPv6 as well."""
        self.region = region
        self._credentials = credentials
        self._url = url
        self._suffix = "api.aws" if is_dual_stack else "amazonaws.com"
        self._now = now or (lambda: datetime.now(UTC))
        self._endpoints: dict[Service, JsonEndpoint] = {}
        self._lock = Lock()

    def post(self, service: Service, path: str, fields: Mapping[str, object], *, seconds: float) -> BedrockAnswer:
        """Return what is answered to a request at a path, whose parts are quoted. Raises CallFailed."""
        endpoint = self._endpoint(service)
        body = json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")
        headers = self._signed(endpoint.url + path, body)
        answer = endpoint.post(path, body, headers, seconds=seconds)
        if answer.status != 200:
            raise self._failure(answer)
        if answer.content is None:
            raise CallFailed(Outcome.BROKEN, "answered with something else than JSON")
        if not isinstance(answer.content, dict):
            raise CallFailed(Outcome.UNREADABLE, "answered with JSON that is no object")
        return BedrockAnswer(answer.content, answer.headers)

    def _endpoint(self, service: Service) -> JsonEndpoint:
        with self._lock:
            if service not in self._endpoints:
                # docs.aws.amazon.com/general/latest/gr/bedrock.html
                url = self._url or f"https://{service}.{self.region}.{self._suffix}"
                self._endpoints[service] = JsonEndpoint(url)
            return self._endpoints[service]

    def _signed(self, url: str, body: bytes) -> Mapping[str, str]:
        try:
            credentials = self._credentials()
            if credentials is None:
                raise CallFailed(Outcome.DENIED, "needs credentials of AWS, and there are none")
            request = AWSRequest("POST", url, data=body, headers={"Content-Type": "application/json"})
            SigV4Auth(credentials.get_frozen_credentials(), "bedrock", self.region).add_auth(request)
        except BotoCoreError as error:
            raise CallFailed(Outcome.BROKEN, "needs credentials of AWS, which gave none") from error
        return {str(name): str(value) for name, value in request.headers.items()}

    def _failure(self, answer: JsonAnswer) -> CallFailed:
        content = answer.content if isinstance(answer.content, dict) else {}
        said = str(content.get("message") or content.get("Message") or "")
        # "ThrottlingException:http://internal.amazon.com/…": the name ends at the colon.
        given = answer.headers.get("x-amzn-errortype") or str(content.get("__type", ""))
        found = _SERVICE.match(given.rpartition("#")[2])
        error = found[0] if found else ""
        about = f"answered {answer.status}" + (f" ({error})" if error else "")
        outcome = _outcome(answer.status, error, said)
        return CallFailed(outcome, about, said=said, wait=named_wait(answer.headers, self._now()))


def _outcome(status: int, error: str, said: str) -> Outcome:
    if error in _OUTCOMES_BY_ERROR:
        return _OUTCOMES_BY_ERROR[error]
    if status in (401, 403, 404) or 300 <= status < 400 or (status == 400 and _NO_MODEL.search(said)):
        return Outcome.DENIED
    if status in (429, 503):
        return Outcome.BUSY
    if status == 413 or (400 <= status < 500 and _TOO_LARGE.search(said)):
        return Outcome.TOO_LARGE
    return Outcome.REFUSED if 400 <= status < 500 else Outcome.BROKEN


def path_of(model: str, action: Literal["invoke", "converse"]) -> str:
    """Return the path of a model, whose name may be an ARN or that of an inference profile."""
    return f"/model/{quote(model, safe='-._~')}/{action}"
