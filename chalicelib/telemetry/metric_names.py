"""Every metric of ours: what the code measures and what infra/ draws and watches. Imports nothing, so that both can."""

from dataclasses import dataclass
from enum import Enum

NAMESPACE = "Lorebase"
STAGE = "Stage"
"""The dimension that every metric has."""
KIND = "Kind"
"""The dimension of what is told apart by kind of job. Each combination is a metric that AWS charges for."""
BY_KIND = ((STAGE, KIND),)


@dataclass(frozen=True, slots=True)
class Measure:
    """How a metric is called, what it counts in (a unit of CloudWatch), and over what: a dimension set each."""

    name: str
    unit: str
    dimension_sets: tuple[tuple[str, ...], ...] = ((STAGE,),)


class Metric(Enum):
    """The metrics; docs/aws-operations.md says what each tells."""

    ITEMS_CREATED = Measure("ItemsCreated", "Count")
    UPLOADS_ACCEPTED = Measure("UploadsAccepted", "Count")
    FILES_REFUSED = Measure("FilesRefused", "Count")
    JOBS_DONE = Measure("JobsDone", "Count", BY_KIND)
    JOBS_RETRIED = Measure("JobsRetried", "Count", BY_KIND)
    JOBS_REFUSED = Measure("JobsRefused", "Count", BY_KIND)
    JOBS_DEAD = Measure("JobsDead", "Count", (*BY_KIND, (STAGE,)))
    JOBS_OPEN = Measure("JobsOpen", "Count")
    OLDEST_JOB_AGE = Measure("OldestJobAge", "Seconds")
    SEARCH_TIME = Measure("SearchTime", "Milliseconds")
    LEXICAL_TIME = Measure("LexicalLaneTime", "Milliseconds")
    SEMANTIC_TIME = Measure("SemanticLaneTime", "Milliseconds")
    LANES_DROPPED = Measure("LanesDropped", "Count")
    EMBEDDED_TEXTS = Measure("EmbeddedTexts", "Count")
    EMBEDDING_TOKENS = Measure("EmbeddingTokens", "Count")
