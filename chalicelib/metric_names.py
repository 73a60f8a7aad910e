"""Every metric of ours: what the code measures and what infra/ draws and watches. Imports nothing, so that both can."""

from dataclasses import dataclass
from enum import Enum

NAMESPACE = "Lorebase"
STAGE = "Stage"
"""The dimension that every metric has."""
KIND = "Kind"
"""The dimension of what is told apart by kind of job. Each combination is a metric that AWS charges for."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How a metric is called, what it counts in (a unit of CloudWatch), and whether by kind of job."""

    name: str
    unit: str
    by_kind: bool = False

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of its dimensions."""
        return (STAGE, KIND) if self.by_kind else (STAGE,)


class Metric(Enum):
    """The metrics; docs/aws-operations.md says what each tells."""

    ITEMS_CREATED = Measure("ItemsCreated", "Count")
    UPLOADS_ACCEPTED = Measure("UploadsAccepted", "Count")
    FILES_REFUSED = Measure("FilesRefused", "Count")
    JOBS_DONE = Measure("JobsDone", "Count", by_kind=True)
    JOBS_RETRIED = Measure("JobsRetried", "Count", by_kind=True)
    JOBS_REFUSED = Measure("JobsRefused", "Count", by_kind=True)
    JOBS_DEAD = Measure("JobsDead", "Count", by_kind=True)
    JOBS_OPEN = Measure("JobsOpen", "Count")
    OLDEST_JOB_AGE = Measure("OldestJobAge", "Seconds")
    SEARCH_TIME = Measure("SearchTime", "Milliseconds")
    LEXICAL_TIME = Measure("LexicalLaneTime", "Milliseconds")
    SEMANTIC_TIME = Measure("SemanticLaneTime", "Milliseconds")
    LANES_DROPPED = Measure("LanesDropped", "Count")
    EMBEDDED_TEXTS = Measure("EmbeddedTexts", "Count")
    EMBEDDING_TOKENS = Measure("EmbeddingTokens", "Count")
