"""Loads: what is asked of a stage in a month."""

from dataclasses import dataclass

from infra.costs.prices import DAYS, HOURS, figure


@dataclass(frozen=True)
class Load:
    """Documents arrive in working hours, searches around the clock; chunks are stored from the month's first day."""

    name: str
    documents_per_day: float = 0
    chunks_stored: float = 0
    searches_per_second: float = 0

    @property
    def documents(self) -> float:
        """Documents that arrive in the month."""
        return self.documents_per_day * DAYS

    @property
    def searches(self) -> float:
        """Searches in the month."""
        return self.searches_per_second * HOURS * 3600

    @property
    def working_hours(self) -> float:
        """Hours of the month in which documents arrive."""
        return figure("working_hours") * DAYS if self.documents_per_day else 0.0

    @property
    def chunks(self) -> float:
        """Chunks stored on average: those of before, and half of the month's own."""
        return self.chunks_stored + self.documents * figure("chunks_per_document") / 2

    @property
    def stored_documents(self) -> float:
        """Documents whose originals are stored on average."""
        return self.chunks / figure("chunks_per_document")


IDLE = Load("idle month")
DOCUMENTS = Load("1,000 documents a day", documents_per_day=1000)
STORED = Load("1 million chunks stored", chunks_stored=1_000_000)
SEARCHES = Load("10 searches a second over them", chunks_stored=1_000_000, searches_per_second=10)
ALL = Load("all of it", documents_per_day=1000, chunks_stored=1_000_000, searches_per_second=10)
LOADS = (IDLE, DOCUMENTS, STORED, SEARCHES, ALL)
