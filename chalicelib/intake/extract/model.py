"""What goes into an extractor and what comes out of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chalicelib.intake.sniff import MediaType


@dataclass(frozen=True, kw_only=True)
class ExtractLimits:
    """How much one original may cost: seconds of wall clock and of CPU, bytes, pages, characters."""

    seconds: float = 120.0
    memory_bytes: int = 1024 * 1024 * 1024
    pages: int = 5_000
    inflated_bytes: int = 256 * 1024 * 1024
    characters: int = 20_000_000


@dataclass(frozen=True, kw_only=True)
class ExtractWarning:
    """Something the reader of an extract should know; `code` is stable, `count` says how often."""

    code: str
    detail: str
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class Source:
    """An original as its extractor sees it."""

    path: Path
    media_type: MediaType
    filename: str
    limits: ExtractLimits


@dataclass(frozen=True, kw_only=True)
class Extract:
    """The Markdown read out of an original.

    `page_starts[n]` is the offset in `body` at which page n + 1 begins; empty where there are no pages.
    """

    body: str
    extractor: str
    title: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    page_starts: tuple[int, ...] = ()
    warnings: tuple[ExtractWarning, ...] = ()
    charset: str | None = None


Extractor = Callable[[Source], Extract]
