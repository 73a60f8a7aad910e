"""What the outside must offer: one protocol a port, each with two real implementations.

`platform/aws` and `platform/local` offer them file by file under the same names, and one contract
suite (tests/contracts) runs against both.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias
from uuid import UUID

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Vectors: TypeAlias = "npt.NDArray[np.float32]"
"""Shape (texts, dimensions); every row has length 1, or is all zero where the text has no meaning."""


@dataclass(frozen=True, slots=True)
class StoredOriginal:
    """What a store knows of one object without reading it. `size` is in bytes."""

    key: str
    size: int


@dataclass(frozen=True, slots=True)
class PresignedTarget:
    """Where a client sends bytes itself, and until when. `headers` must be sent as they are."""

    method: str
    url: str
    headers: Mapping[str, str]
    expires_at: datetime


class Originals(Protocol):
    """Keeps originals: bytes under a key, never edited.

    Keys are `/`-separated and may hold any Unicode; the few that are not portable raise OriginalKeyRefused
    (platform/keys.py). Every method raises OriginalsUnavailable where the store does not answer.
    """

    def put(self, key: str, content: BinaryIO) -> StoredOriginal:
        """Write `content` to its end under `key`, replacing what was there, all or nothing."""
        ...

    def open(self, key: str) -> AbstractContextManager[BinaryIO]:
        """Read from the start. Raises OriginalNotFound."""
        ...

    def find(self, key: str) -> StoredOriginal | None:
        """Return what is under `key`, or None."""
        ...

    def delete(self, key: str) -> None:
        """Remove `key`; nothing happens where nothing is."""
        ...

    def walk(self, prefix: str) -> Iterator[StoredOriginal]:
        """Yield everything whose key starts with `prefix`, in key order."""
        ...

    def presign_put(self, key: str, *, size: int, valid_for: timedelta) -> PresignedTarget:
        """Let a client write exactly `size` bytes under `key` until the time is up."""
        ...

    def presign_get(self, key: str, *, filename: str, media_type: str, valid_for: timedelta) -> str:
        """Return a URL that downloads `key` as `filename` (always as an attachment) until the time is up."""
        ...


@dataclass(frozen=True, slots=True)
class Ring:
    """A note that a job waits: no more than its id and kind, since the table holds the truth.

    `correlation_id` is for log lines that are written before the table was read. `after` is how long the ring is
    held back, at most 15 minutes; a worker that hears it sooner finds the job not due.
    """

    job_id: UUID
    kind: str
    correlation_id: str | None = field(default=None, compare=False)
    after: timedelta = timedelta(0)


class Doorbell(Protocol):
    """Wakes workers. A lost ring costs time, never work: the sweep rings again."""

    def ring(self, rings: Sequence[Ring]) -> None:
        """Send each ring; those that could not be sent are left to the sweep, and logged."""
        ...

    def announce(self) -> bool:
        """Ask for a round of the sweep in a minute or so, before work is promised: the rings may get lost after it.

        Never raises; where it could not be asked for, that is logged and answered with False.
        """
        ...


class Secrets(Protocol):
    """Keeps secrets outside the database."""

    def read(self, name: str) -> str | None:
        """Return the secret, or None where there is none. Raises SecretsUnavailable."""
        ...

    def write(self, name: str, value: str) -> None:
        """Create or replace the secret."""
        ...

    def create(self, name: str, value: str) -> str:
        """Keep `value` unless the secret exists, and return what is kept: one winner among simultaneous callers."""
        ...

    def delete(self, name: str) -> None:
        """Destroy the secret at once; nothing happens where nothing is."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """Rows, one a text in the order given, and how many tokens were read for them, as the provider counts."""

    vectors: Vectors
    tokens: int


class Embedder(Protocol):
    """Turns text into vectors of one embedding space."""

    @property
    def space(self) -> str:
        """The name of the embedding space: model and dimensions, e.g. `all-MiniLM-L6-v2/384`."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes of the languages that the model was trained for; None means all."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole: no tail is dropped. Raises EmbedderUnavailable."""
        ...

    def embed_query(self, text: str) -> Embedded:
        """Embed one question; shape (1, dimensions). Raises EmbedderUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model made of a prompt: a JSON object that meets the schema it was asked for, and its cost."""

    value: Mapping[str, object]
    input_tokens: int
    output_tokens: int


class LanguageModel(Protocol):
    """Writes JSON objects of a given shape."""

    @property
    def name(self) -> str:
        """The provider and model, e.g. `bedrock/amazon.nova-lite-v1:0`; the ledger of usage has it."""
        ...

    def complete(
        self, *, instructions: str, prompt: str, schema: Mapping[str, object], output_tokens: int, seconds: float
    ) -> Completion:
        """Return an object that meets the JSON Schema `schema` (an object without further properties).

        `prompt` is data and never followed as instructions; `output_tokens` bounds what is written, `seconds` the
        wait, retries included. Raises LanguageModelUnavailable (out of reach, late, throttled) and
        LanguageModelAnswerRefused (the answer does not meet the schema, was cut off, or was withheld).
        """
        ...


@dataclass(frozen=True, slots=True)
class Ranking:
    """Relevance of each passage to a question, in the order that they were given; the higher the better, 0 to 1."""

    scores: Sequence[float]
    tokens: int


class Reranker(Protocol):
    """Judges passages by reading each together with the question."""

    @property
    def name(self) -> str:
        """The provider and model; the ledger of usage has it."""
        ...

    def rank(self, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
        """Score at most 100 passages; long ones are cut to what the model reads. Raises RerankerUnavailable."""
        ...


class IssuerDocuments(Protocol):
    """Fetches what issuers of tokens publish on the internet: JSON documents of a URL, from where it is reachable."""

    @property
    def takes_loopback(self) -> bool:
        """Whether issuers on this very machine are taken, by plain http as well."""
        ...

    def fetch(self, url: str) -> Mapping[str, object]:
        """Return the JSON object behind an https URL, asked for once and followed nowhere else.

        Raises IssuerDocumentRefused for an answer that cannot be taken, or an address that may not be asked, and
        IssuerUnavailable where none came in time.
        """
        ...


class Clock(Protocol):
    """Tells the time, so that tests can move it."""

    def now(self) -> datetime:
        """Return the present time in UTC."""
        ...
